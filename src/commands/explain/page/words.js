// Tokens and numbers as text, and text as elements: nothing here is ever read as markup.
"use strict";

// el("p", {id: "x", onclick: f}, "text", child): a property, or an attribute where the name has a
// dash or there is no such property.
function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in node && !name.includes("-")) node[name] = value;
    else node.setAttribute(name, value);
  node.append(...children);
  return node;
}
const byId = id => document.getElementById(id);
function say(id, ...parts) {
  byId(id).replaceChildren(...parts);
}

// White space made visible, and what is no text by itself as its bytes: · ↵ ⇥ \xNN.
function visible(piece) {
  return [...piece].map(c => {
    const code = c.codePointAt(0);
    if (c === " ") return "·";
    if (c === "\n") return "↵";
    if (c === "\t") return "⇥";
    if (code >= 0xdc80 && code <= 0xdcff) return "\\x" + (code - 0xdc00).toString(16);
    if (/\p{C}/u.test(c) && !/\u200c|\u200d/.test(c)) return "\\u{" + code.toString(16) + "}";
    return c;
  }).join("");
}
const pieceOf = id => data.pieces[id];
const tokenText = id => id in data.pieces ? visible(data.pieces[id]) : "#" + id;
const tokenAt = t => tokenText(data.ids[t]);

// A token inside a sentence: in quotes, and its direction does not turn the sentence.
const quoted = id => id in data.pieces ? `\u2068“${visible(data.pieces[id])}”\u2069` : "#" + id;
const place = t => `${quoted(data.ids[t])} (position ${t})`;
// A token as an element.
const word = id => el("bdi", {className: "word"}, tokenText(id));

// Whether the text, as a whole, runs from right to left: its first letter decides.
function runsLeft() {
  const letter = /\p{L}/u.exec(data.ids.map(id => data.pieces[id] ?? "").join(""));
  return letter !== null && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter[0]);
}

const signed = text => text.replace("-", "−");
// The shortest decimal that reads back as the same float.
function exact(x) {
  if (x === undefined) return "not legal";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : Number.isNaN(x) ? "not a number" : "∞";
  for (let digits = 1; digits < 9; ++digits) {
    const text = Number(x.toPrecision(digits));
    if (Math.fround(text) === x) return signed(String(text));
  }
  return signed(String(Number(x.toPrecision(9))));
}
// To read at a glance.
function rough(x) {
  if (!Number.isFinite(x)) return exact(x);
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e5) {
    const [digits, power] = x.toExponential(1).split("e");
    return signed(digits) + " × 10" + [...String(Number(power))].map(c => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("");
  }
  return signed(size >= 100 ? x.toFixed(0) : size >= 10 ? x.toFixed(1) : x.toFixed(size >= 1 ? 2 : 3));
}
function percent(p) {
  if (p === 0) return "0 %";
  if (p < 0.0005) return "< 0.1 %";
  if (p > 0.9995) return p < 1 - 1e-7 ? "> 99.9 %" : "100 %";
  return (100 * p).toFixed(1) + " %";
}
const grouped = n => n.toLocaleString("en");
const plural = (n, thing) => `${grouped(n)} ${thing}${n === 1 ? "" : "s"}`;

const layersText = (first, count) => count === 1 ? `layer ${first}` : `layers ${first} to ${first + count - 1}`;

// How many of n small pictures stand side by side, at most so many.
function across(n, most) {
  if (n <= most) return n;
  for (let columns = most; columns > most / 2; --columns) if (n % columns === 0) return columns;
  return most;
}

// [3,4,5,9] as "3 to 5, 9".
function ranges(numbers) {
  const parts = [];
  for (let i = 0; i < numbers.length; ++i) {
    const first = numbers[i];
    while (numbers[i + 1] === numbers[i] + 1) ++i;
    parts.push(first === numbers[i] ? first : `${first} to ${numbers[i]}`);
  }
  return parts.join(", ");
}

// One of many elements takes the focus, the arrow keys pass it on: `step(index, key)` gives the
// index that a key leads to.
function rove(nodes, step) {
  nodes.forEach((node, index) => node.addEventListener("keydown", event => {
    const next = step(index, event.key);
    if (next === undefined) return;
    event.preventDefault();
    const target = nodes[Math.max(0, Math.min(nodes.length - 1, next))];
    target.focus();
    target.click();
  }));
}
function lineStep(count, backwards = false) {
  const forward = backwards ? "ArrowLeft" : "ArrowRight", back = backwards ? "ArrowRight" : "ArrowLeft";
  return (index, key) => ({[forward]: index + 1, [back]: index - 1, ArrowDown: index + 1,
                           ArrowUp: index - 1, Home: 0, End: count - 1})[key];
}

// The tokens as a line of text to choose from. Returns their elements.
function tokenFlow(box) {
  const long = P > 80;  // then lines are filled, whatever line feeds there are
  box.dir = runsLeft() ? "rtl" : "ltr";
  box.classList.toggle("long", long);
  const tokens = [];
  for (let t = 0; t < P; ++t) {
    const token = el("span", {className: "token", role: "option", tabIndex: -1, title: `position ${t}, id ${data.ids[t]}`,
                              onclick: () => choose({position: t})}, word(data.ids[t]));
    tokens.push(token);
    box.append(token);
    if (!long && data.pieces[data.ids[t]]?.endsWith("\n")) box.append(el("br"));
  }
  rove(tokens, lineStep(P, box.dir === "rtl"));
  whenChosen(() => tokens.forEach((token, t) => {
    token.setAttribute("aria-selected", t === chosen.position);
    token.tabIndex = t === chosen.position ? 0 : -1;
  }));
  return tokens;
}
