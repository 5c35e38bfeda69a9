// Drives a page of `gpt explain` by mouse and keyboard, and checks what it shows against the data
// that it carries, decoded here on its own.
"use strict";

const failures = [];
let checks = 0;
function check(what, holds) {
  ++checks;
  if (!holds) failures.push(what);
}

let view, page, data;  // of the frame
const traceOf = l => data.traces[l - data.first_traced];
const all = selector => [...page.querySelectorAll(selector)];
const one = selector => page.querySelector(selector);
const textOf = selector => one(selector).textContent;
const settle = () => new Promise(done => setTimeout(done, 50));

function mouse(target, type, x, y) {
  const box = target.getBoundingClientRect();
  target.dispatchEvent(new view.PointerEvent(type, {
    bubbles: true, cancelable: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height,
  }));
}
const key = (target, name) =>
  target.dispatchEvent(new view.KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));

function floats(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}
// Whether the text says x: with all digits that a float has.
const says = (text, x) => text.match(/[−\d.e+-]+/g)?.some(number =>
  Math.fround(Number(number.replaceAll("−", "-"))) === x) || (x === -Infinity && text.includes("−∞"));

function checkSafety() {
  check("the text made no elements of its own", all("img, video, object, embed, form form, #hostile").length === 0);
  check("the text ran no script", !("hacked" in view));
  check("one script element for each script of the template", all("script").length === 11);
  check("nothing is loaded", view.performance.getEntriesByType("resource").length === 0);
  check("every link stays on the page",
        all("[href], [src]").every(node => /^(#|data:,)/.test(node.getAttribute("href") ?? node.getAttribute("src"))));
}

function checkNames() {
  const ids = all("[id]").map(node => node.id);
  check("ids are unique", new Set(ids).size === ids.length);
  for (const node of all("button, select, input, [tabindex='0'], [role=application], [role=radiogroup], [role=listbox]")) {
    const label = node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? node.textContent;
    check(`${node.tagName} ${node.id || node.className} has a name`, label.trim() !== "");
  }
  for (const group of all("[role=radiogroup]"))
    check(`${group.id}: one of the choices is checked and takes the focus`,
          group.querySelectorAll("[aria-checked=true]").length === 1 && group.querySelectorAll("button[tabindex='0'], button:not([tabindex])").length === 1);
  for (const group of all("[role=listbox]"))
    check(`${group.id}: one token is chosen and takes the focus`,
          group.querySelectorAll("[aria-selected=true]").length === 1 && group.querySelectorAll(".token[tabindex='0']").length === 1);
}

async function checkWidths() {
  for (const width of [1280, 768, 360, 320]) {
    frame.style.width = width + "px";
    await settle();
    const out = all("body *").filter(node => node.getBoundingClientRect().right > width && !node.closest(".scroll, svg, .skip"));
    check(`at ${width} pixels ${out.at(-1)?.outerHTML.slice(0, 90)} sticks out`, page.documentElement.scrollWidth <= width);
  }
  frame.style.width = "1280px";
  await settle();
}

function checkTokens() {
  for (const box of ["#text", "#reading"]) {
    const tokens = all(`${box} .token`);
    check(`${box} shows every position`, tokens.length === data.positions);
    tokens.forEach((token, t) => {
      const piece = data.pieces[data.ids[t]];
      const plain = piece === undefined ? `#${data.ids[t]}` : /^[\x21-\x7e]+$/.test(piece) ? piece : null;
      if (plain !== null) check(`token ${t} reads as it is`, token.textContent === plain);
      check(`token ${t} is visible`, token.textContent.trim() !== "");
    });
    for (const t of [0, data.positions >> 1, data.positions - 1]) {
      tokens[t].click();
      check(`${box}: a click chooses position ${t}`, one("#position").value === String(t) && tokens[t].getAttribute("aria-selected") === "true");
    }
    key(tokens[data.positions - 1], "Home");
    check(`${box}: Home leads to the first token`, one("#position").value === "0" && page.activeElement === tokens[0]);
    key(tokens[0], "ArrowDown");
    check(`${box}: an arrow leads on`, one("#position").value === String(Math.min(1, data.positions - 1)));
  }
}

// Points at an entry, by mouse and then by keys, and reads what is said of it.
function readEntry(node, readout, row, col, rows, cols) {
  mouse(node, "pointermove", (col + 0.5) / cols, (row + 0.5) / rows);
  const pointed = readout.textContent;
  mouse(node, "pointerleave", 0, 0);
  return pointed;
}

function checkMeans() {
  const P = data.positions, t = P - 1, j = P >> 1, readout = one("#row-words");
  const matrices = all("#mixes .matrix");
  check("four matrices", matrices.length === 4);
  check("they differ by nothing", /differ by 0,/.test(textOf("#means-agree")));
  data.means.matrices.forEach((base64, k) => {
    const x = floats(base64)[t * (t + 1) / 2 + j];
    check(`mean ${k} says its weight`, says(readEntry(matrices[k], readout, t, j, P, P), x));
    check(`mean ${k} is 1/(t+1)`, Math.abs(x - 1 / (t + 1)) < 1e-6);
  });
  const h = Number(one("#head").value), l = Number(one("#layer").value);
  const W = floats(data.attention[l - data.first_layer]).subarray(h * P * (P + 1) / 2);
  check("attention says its weight", says(readEntry(matrices[3], readout, t, j, P, P), W[t * (t + 1) / 2 + j]));
  if (P > 1) check("the future is refused", readEntry(matrices[3], readout, 0, P - 1, P, P).includes("may not"));
  matrices[3].focus();
  key(matrices[3], "ArrowDown");
  key(matrices[3], "ArrowUp");
  key(matrices[3], "End");
  key(matrices[3], "Home");
  key(matrices[3], "Enter");
  matrices[3].blur();
  check("Enter chooses the row", one("#position").value !== "");
  check("a bar for each position of the row", all("#row > span").length === Number(one("#position").value) + 1);
  const steps = ["scores", "masked", "weights"].map(name => traceOf(l).find(step => step.name.endsWith(name)));
  const S = data.trace_positions, said = readEntry(all("#access .matrix")[1], one("#access-words"), S - 1, 0, S, S);
  for (const step of steps) check(`access says ${step.name}`, says(said, floats(step.values)[h * S * S + (S - 1) * S]));
}

function chooseLayer(l) {
  one("#layer").value = l;
  one("#layer").dispatchEvent(new view.Event("change"));
}

function checkTraces() {
  const last = data.first_traced + data.traces.length - 1;
  for (const l of new Set([data.first_traced, last, data.layer])) {
    chooseLayer(l);
    check(`layer ${l} is traced`, textOf("#traced") === `Layer ${l}`);
    checkTrace(traceOf(l));
  }
  const elsewhere = data.first_layer + data.attention.length - 1;
  if (elsewhere > last) {
    chooseLayer(elsewhere);
    check("says which layer it shows instead", textOf("#traced").startsWith(`Layer ${data.layer}: `));
    chooseLayer(data.layer);
  }
}

function checkTrace(trace) {
  const boxes = all("#steps button"), S = data.trace_positions;
  check("a box for every step", boxes.length === trace.length && boxes.length === 18);
  boxes.forEach((box, index) => {
    const step = trace[index], values = floats(step.values);
    box.click();
    const matrices = all("#step .matrix"), sheets = step.shape.length === 4 ? step.shape[1] : 1;
    const cols = values.length / sheets / S, row = S - 1, col = cols >> 1;
    check(`${step.name} opens`, box.getAttribute("aria-expanded") === "true" && textOf("#step figcaption").includes(step.name));
    check(`${step.name} has a picture for every sheet`, matrices.length === sheets);
    check(`${step.name} shows its shape`, box.textContent.includes(`[${step.shape.join(",")}]`));
    const last = sheets - 1, x = values[(last * S + row) * cols + col];
    const said = readEntry(matrices[last], one("#step .readout"), row, col, S, cols);
    check(`${step.name} says ${x}`, says(said, x));
    matrices[0].focus();
    key(matrices[0], "ArrowRight");
    key(matrices[0], "PageDown");
    check(`${step.name} is read by keys`, textOf("#step .readout").includes("position") && matrices[0].classList.contains("pointing"));
    matrices[0].blur();
  });
  boxes[0].focus();
  key(boxes[0], "ArrowDown");
  check("an arrow opens the next step", boxes[1].getAttribute("aria-expanded") === "true" && page.activeElement === boxes[1]);
}

function checkReads() {
  const P = data.positions, heads = all("#heads button");
  check("a picture for every layer and head that is there", heads.length === data.attention.length * data.model.heads);
  heads.forEach((head, index) => {
    head.click();
    const l = Math.floor(index / data.model.heads), h = index % data.model.heads;
    check(`head ${index} is enlarged`, textOf("#one-head-title") === `Layer ${l + data.first_layer}, head ${h}` && head.getAttribute("aria-checked") === "true");
    const W = floats(data.attention[l]).subarray(h * P * (P + 1) / 2), t = P - 1;
    const said = readEntry(one("#one-head .matrix"), one("#one-head-words"), t, 0, P, P);
    check(`head ${index} says its weight`, says(said, W[t * (t + 1) / 2]));
  });
  heads[0].focus();
  key(heads[0], "End");
  check("End leads to the last head", heads.at(-1).getAttribute("aria-checked") === "true");
  one("#without-first").click();
  const said = readEntry(one("#one-head .matrix"), one("#one-head-words"), P - 1, 0, P, P);
  check("the view leaves out the first position", says(said, 0));
  all("#reading .token")[0].click();
  check("the first position then reads nothing", textOf("#reading-words").includes("nothing left"));
  one("#without-first").click();
  all("#reading .token").at(-1).click();
  check("the last position reads something", / reads .* most/.test(textOf("#reading-words")));
  check("rows sum to 1", /sums to 1, to within (0|.*10⁻)/.test(textOf("#rows-sum")));
}

function checkChanges() {
  const P = data.positions, stages = 2 * data.model.layers + 1;
  if (data.substitutions.length === 0) return check("no replacements, no part 4", one("#changes") === null);
  const choices = all("#substitutions button");
  check("a choice for every replacement", choices.length === data.substitutions.length);
  data.substitutions.forEach((run, index) => {
    choices[index].click();
    const attention = floats(run.attention), mlp = floats(run.mlp), stream = floats(run.stream);
    check(`${index}: attention moves nothing earlier`, attention.every((x, i) => i % P >= run.position || x === 0));
    check(`${index}: the MLP moves its own position alone`, mlp.every((x, i) => (x !== 0) === (i % P === run.position)));
    check(`${index}: the model moves nothing earlier`, stream.every((x, i) => i % P >= run.position || x === 0));
    check(`${index}: words say so`, textOf("#alone-words").includes(`The MLP’s moved at 1 position: ${run.position}.`) &&
          textOf("#spread-words").includes(`: 0 of the entries left of position ${run.position} moved`));
    const [told, thought] = all("#alone .matrix"), spread = one("#spread .matrix");
    for (const l of [data.first_traced, data.layer]) {
      chooseLayer(l);
      const far = readEntry(told, one("#alone-words"), 0, run.position, 1, P);
      check(`${index}: layer ${l}: the strip says how far`, says(far, attention[(l - data.first_traced) * P + run.position]));
    }
    readEntry(thought, one("#alone-words"), 0, P - 1, 1, P);
    check(`${index}: the spread says how far`,
          says(readEntry(spread, one("#spread-words"), stages - 1, run.position, stages, P), stream[(stages - 1) * P + run.position]));
    check(`${index}: the answer is there`, textOf("#answer").includes("%"));
  });
  choices[0].focus();
  key(choices[0], "End");
  check("End leads to the last replacement", choices.at(-1).getAttribute("aria-checked") === "true");
}

function checkStream() {
  const P = data.positions, L = data.model.layers, stages = 2 * L + 1;
  one("#stream details").open = true;
  const rows = all("#norms-table tbody tr"), stream = floats(data.stream), t = Number(one("#position").value);
  check("a row for every step of the stream", rows.length === stages);
  rows.forEach((row, s) => check(`the table says step ${s}`, says(row.lastChild.textContent, stream[s * P + t])));
  check("the chart has a line and a mark for every addition",
        all("#norms path.stream").length === 1 && all("#norms .told").length === L && all("#norms .thought").length === L);
  check("a table of predictions", all("#lens tbody tr").length === P && all("#lens thead th").length === L + 2);
  all("#lens tbody tr").at(-1).click();
  check("a row of the predictions chooses its position", one("#position").value === String(P - 1) && all("#lens tr.chosen").length === 1);
  check("a bar for every block", all("#lens-one li").length === L + 1);
  check("the last block says what the model says",
        P < data.ids.length || all("#lens-one li").at(-1).querySelector(".value").textContent === one("#next-tokens .value").textContent);
}

// The sampler once more, in its own order of ids.
function sampled(logits, {temperature, k, p, least}) {
  let left = [...logits].map((logit, id) => ({id, logit})).sort((a, b) => b.logit - a.logit || a.id - b.id);
  if (temperature === 0) return [1];
  if (k) left = left.slice(0, k);
  left.forEach(c => c.weight = Math.exp((c.logit - left[0].logit) / temperature));
  const total = left.reduce((sum, c) => sum + c.weight, 0);
  let sum = 0;
  if (p < 1) left = left.filter(c => { const keep = sum < p * total; sum += c.weight; return keep; });
  left = left.filter(c => c.weight >= least && c.weight > 0);
  const rest = left.reduce((sum, c) => sum + c.weight, 0);
  return left.map(c => c.weight / rest);
}

function checkNext() {
  const logits = floats(data.logits).subarray(0, data.candidates);
  const set = (name, value) => {
    const input = one("#knob-" + name);
    input.value = value;
    input.dispatchEvent(new view.Event("input"));
  };
  const ks = [...Array(5).keys()].map(i => i + 1).filter(k => k < data.candidates);
  for (const temperature of [0, 0.5, 1, 2])
    for (const kAt of [0, ks.length - 1, 99])
      for (const p of [0.05, 0.9, 1])
        for (const least of [0, 0.1]) {
          if (kAt < 0) continue;
          set("temperature", temperature);
          set("topK", kAt);
          set("topP", p);
          set("minP", least);
          const wanted = sampled(logits, {temperature, k: ks[kAt], p: Number(one("#knob-topP").value), least});
          const shown = all("#next-tokens .value").map(node => node.textContent);
          check(`${temperature} ${ks[kAt]} ${p} ${least}: ${wanted.length} tokens are left`,
                textOf("#next-words").startsWith(`${wanted.length.toLocaleString("en")} token`));
          shown.forEach((text, rank) => check(`${temperature} ${ks[kAt]} ${p} ${least}: token ${rank} is ${wanted[rank]}, shown ${text}`,
            rank >= wanted.length ? text === "out" : Math.abs(parseFloat(text.replace(/[<>] /, "")) - 100 * wanted[rank]) < 0.11));
        }
  one("#knobs button").click();
  check("the settings go back", one("#knob-temperature").value === "1" && !all("#next-tokens .out").length);
}

function checkPrint() {
  view.dispatchEvent(new view.Event("beforeprint"));
  check("prints as by day", "print" in page.documentElement.dataset);
  view.dispatchEvent(new view.Event("afterprint"));
  check("goes back afterwards", !("print" in page.documentElement.dataset));
}

async function drive() {
  view = frame.contentWindow;
  page = frame.contentDocument;
  view.addEventListener("error", event => failures.push(`error: ${event.message}`));
  view.addEventListener("unhandledrejection", event => failures.push(`rejected: ${event.reason}`));
  data = JSON.parse(page.getElementById("data").textContent);
  const dark = new URLSearchParams(location.search).has("dark");
  check("follows the theme", view.matchMedia("(prefers-color-scheme: dark)").matches === dark);
  check("has a title", page.title.endsWith("See it think"));
  checkSafety();
  checkTokens();
  checkMeans();
  checkTraces();
  checkReads();
  checkChanges();
  checkStream();
  checkNext();
  checkPrint();
  checkNames();
  await checkWidths();
  for (const select of all("nav select"))
    for (const option of [...select.options].filter(o => !o.disabled).slice(0, 8)) {
      select.value = option.value;
      select.dispatchEvent(new view.Event("change"));
    }
  checkSafety();
}

const frame = document.getElementById("frame"), verdict = document.getElementById("verdict");
frame.addEventListener("load", async () => {
  try {
    await drive();
  } catch (error) {
    failures.push(`stopped: ${error.stack ?? error}`);
  }
  verdict.textContent = failures.length ? failures.slice(0, 20).join("\n") : `ok ${checks}`;
});
frame.src = new URLSearchParams(location.search).get("page");
