// 3: who reads whom, in every layer and head.
"use strict";

{
  const without = byId("without-first");
  // The weights, or the view that leaves out the first position.
  function view(l, h) {
    const W = attention(l, h);
    if (!without.checked) return W;
    return {
      ...W,
      at: (t, j) => j > t ? undefined : j === 0 ? 0 : t > 0 && W.at(t, 0) < 1 ? W.at(t, j) / (1 - W.at(t, 0)) : 0,
    };
  }

  const scale = strengthScale;
  const tokens = tokenFlow(byId("reading"));
  const readingWords = byId("reading-words"), matrixWords = byId("one-head-words");

  function strongest(W, t) {
    const order = [...Array(t + 1).keys()].filter(j => W.at(t, j) > 0);
    return order.sort((a, b) => W.at(t, b) - W.at(t, a));
  }
  function sentence(W, t) {
    const order = strongest(W, t);
    if (order.length === 0) return `${place(t)} has nothing left to read once the first position is left out.`;
    const [first, ...more] = order.slice(0, 3).map(j => `${j === t ? "itself" : place(j)} (${percent(W.at(t, j))})`);
    return `In layer ${chosen.layer}, head ${chosen.head}, ${place(t)} reads ${first} most` +
      (more.length ? `, then ${more.join(" and ")}.` : ".");
  }

  function shade(W) {
    const t = chosen.position;
    tokens.forEach((token, j) => {
      const weight = j <= t ? W.at(t, j) : undefined;
      token.style.backgroundColor = weight === undefined ? "" : css(scale, weight);
      token.classList.toggle("dark-ink", weight !== undefined && isLight(scale, weight));
      token.classList.toggle("light-ink", weight !== undefined && !isLight(scale, weight));
      token.classList.toggle("later", j > t);
    });
    arcs(W, t);
  }

  // Curves from the reader to what it reads, for the few that matter.
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawing.setAttribute("aria-hidden", "true");
  byId("reading").append(drawing);
  function arcs(W, t) {
    const box = byId("reading").getBoundingClientRect();
    const top = j => {
      const r = tokens[j].getBoundingClientRect();
      return [r.left - box.left + r.width / 2, r.top - box.top];
    };
    const [x, y] = top(t), paths = [];
    for (const j of strongest(W, t).slice(0, 8).filter(j => j !== t && W.at(t, j) >= 0.02)) {
      const [u, v] = top(j), path = document.createElementNS(drawing.namespaceURI, "path");
      const lift = v === y ? Math.min(26, 6 + Math.abs(x - u) / 8) : 22;
      path.setAttribute("d", `M${x},${y} C${x},${y - lift} ${u},${v - lift} ${u},${v}`);
      path.setAttribute("stroke-width", 1 + 4 * Math.sqrt(W.at(t, j)));
      path.setAttribute("opacity", 0.35 + 0.65 * Math.sqrt(W.at(t, j)));
      paths.push(path);
    }
    drawing.replaceChildren(...paths);
  }

  const picture = matrix({
    name: () => `Layer ${chosen.layer}, head ${chosen.head}, weights`,
    readout: matrixWords,
    describe: (t, j) => j > t ? `${place(t)} may not read ${place(j)}, which comes later.`
      : `${place(t)} reads ${place(j)}: ${exact(view(chosen.layer, chosen.head).at(t, j))}`,
    rest: () => matrixWords.replaceChildren("Rows read, columns are read. Point at an entry for its value."),
    pick: t => choose({position: t}),
  });
  const labels = () => Array.from({length: P}, (_, t) => word(data.ids[t]));
  byId("one-head").append(el("div", {className: "across"}, ...labels()), el("div", {className: "down"}, ...labels()), picture.node);
  const brief = data.ids.slice(0, P).every(id => tokenText(id).length <= 2);
  byId("one-head").className = P > 36 ? "" : "axes" + (P > 24 ? " many" : "") + (brief ? " brief" : "");
  legend(byId("one-head-scale"), scale, el("span", {className: "key"}, el("i", {className: "hatch"}), "not legal"));

  // A small picture of every head that the page has.
  const small = [];
  for (let l = 0; l < data.attention.length; ++l) {
    const row = el("div");
    row.style.setProperty("--across", across(H, 8));
    byId("heads").append(el("span", {}, `layer ${l + data.first_layer}`), row);
    for (let h = 0; h < H; ++h) {
      const layer = l + data.first_layer, canvas = el("canvas");
      const button = el("button", {type: "button", role: "radio", "aria-label": `layer ${layer}, head ${h}`,
                                   title: `layer ${layer}, head ${h}`, onclick: () => choose({layer, head: h})}, canvas);
      small.push({layer, h, canvas, button});
      row.append(button);
    }
  }
  rove(small.map(({button}) => button), (index, key) =>
    ({ArrowRight: index + 1, ArrowLeft: index - 1, ArrowDown: index + H, ArrowUp: index - H, Home: 0, End: small.length - 1})[key]);

  function show() {
    const W = view(chosen.layer, chosen.head);
    say("one-head-title", `Layer ${chosen.layer}, head ${chosen.head}`);
    picture.show(W, scale);
    picture.markRow(chosen.position, chosen.position + 1);
    shade(W);
    readingWords.replaceChildren(sentence(W, chosen.position));
    small.forEach(({layer, h, button}) => {
      const here = layer === chosen.layer && h === chosen.head;
      button.setAttribute("aria-checked", here);
      button.tabIndex = here ? 0 : -1;
    });
  }
  const showAll = () => small.forEach(({layer, h, canvas}) => paint(canvas, view(layer, h), scale));
  matrixWords.replaceChildren("Rows read, columns are read. Point at an entry for its value.");
  draws(() => { showAll(); show(); });
  without.addEventListener("change", () => { showAll(); show(); });
  whenChosen(show);
  new ResizeObserver(() => arcs(view(chosen.layer, chosen.head), chosen.position)).observe(byId("reading"));

  let off = 0, future = 0;
  for (const {layer, h} of small) {
    const W = attention(layer, h);
    for (let t = 0; t < P; ++t) {
      let sum = 0;
      for (let j = 0; j <= t; ++j) sum += W.at(t, j);
      off = Math.max(off, Math.abs(sum - 1));
    }
  }
  for (const [i] of data.traces.entries())
    for (const {rows, at} of stepSheets(data.first_traced + i, stepIndex("attn.weights")))
      for (let t = 0; t < rows; ++t)
        for (let j = t + 1; j < rows; ++j) future = Math.max(future, Math.abs(at(t, j)));
  say("rows-sum", `Added up on this page: each row of all ${plural(small.length, "matrix").replace("matrixs", "matrices")} sums to 1, to within `,
      el("b", {}, rough(off)), `. In ${tracedLayers()}, of which it has the whole squares, the future’s largest weight is `, el("b", {}, rough(future)), ".");
}
