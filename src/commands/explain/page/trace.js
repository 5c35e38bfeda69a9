// 2: the shape trace, every step of a layer as a box that opens.
"use strict";

{
  // How each step comes out of those before it; steps on the stream itself have `stream`.
  const meaning = {
    ln_1: ["LayerNorm", "each position brought to mean 0 and variance 1"],
    "attn.c_attn": ["× c_attn", "one product makes queries, keys and values at once"],
    "attn.q": ["split [B,T,C], view, transpose", "what each position looks for"],
    "attn.k": ["split [B,T,C], view, transpose", "what each position offers to be found by"],
    "attn.v": ["split [B,T,C], view, transpose", "what each position hands over when it is read"],
    "attn.scores": ["q kᵀ ⁄ √D", "how well every query likes every key"],
    "attn.masked": ["+ mask", "the future at −∞"],
    "attn.weights": ["softmax", "rows that sum to 1"],
    "attn.heads": ["× v", "each head’s mix of what it read"],
    "attn.merged": ["merge heads", "the same numbers, heads side by side again"],
    "attn.c_proj": ["× c_proj", "what attention will add"],
    residual_attn: ["x + attention", "the stream, told something"],
    ln_2: ["LayerNorm", "the same as before, with weights of its own"],
    "mlp.c_fc": ["× c_fc", "wider, at every position alone"],
    "mlp.act": ["activation", "the one bend in the road"],
    "mlp.c_proj": ["× c_proj", "what the MLP will add"],
    residual_mlp: ["x + MLP", "the stream, having thought"],
  };
  const isInput = index => index === 0;
  const shortName = index => isInput(index) ? "x" : data.traces[0][index].name.replace(/^h\.\d+\./, "");
  const onStream = index => isInput(index) || shortName(index).startsWith("residual");

  // The shape as a picture: sheets of rows and columns, in proportion by the square root.
  const widest = Math.max(...data.traces[0].map(({shape}) => shape.at(-1)));
  const unit = Math.min(62 / Math.sqrt(widest), 30 / Math.sqrt(T));
  function glyph({shape}) {
    const size = n => Math.max(3, unit * Math.sqrt(n));
    const rows = size(shape[shape.length - 2]), cols = size(shape[shape.length - 1]);
    const sheets = shape.length === 4 ? Math.min(shape[1], 4) : 1;
    const node = el("span", {className: "glyph", "aria-hidden": "true"});
    for (let s = sheets - 1; s >= 0; --s) {
      const sheet = el("i");
      sheet.style.cssText = `width:${cols}px;height:${rows}px;left:${4 * s}px;margin-top:${-rows / 2 - 3 * s}px`;
      node.append(sheet);
    }
    return node;
  }

  say("letters", ...[["B", 1, "text"], ["T", T, "positions"], ["C", C, "channels"], ["H", H, "heads"],
                     ["D", C / H, "channels a head, C ⁄ H"], ["F", F, "channels inside the MLP"]]
    .map(([letter, number, what]) => el("span", {}, el("b", {}, `${letter} = ${grouped(number)}`), " " + what)));

  const boxes = data.traces[0].map((step, index) => {
    const [how] = isInput(index) ? ["what comes in"] : meaning[shortName(index)];
    return el("button", {type: "button", "aria-expanded": "false", onclick: () => open(index)},
      el("span", {className: "how"}, how),
      el("span", {className: "name"}, shortName(index)),
      el("span", {className: "shape"}, `[${step.letters}]`, el("small", {}, `[${step.shape.join(",")}]`)),
      glyph(step));
  });
  boxes.forEach((box, index) => {
    const part = onStream(index) ? "on-stream" : index < stepIndex("residual_attn") ? "of-attention" : "of-mlp";
    byId("steps").append(el("li", {className: part}, box));
  });
  rove(boxes, (index, key) => ({ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: boxes.length - 1})[key]);

  // Where in the step a cell is, in words.
  function cell(index, sheet, row, col) {
    const {letters} = data.traces[0][index], head = letters.startsWith("B,H") ? `head ${sheet}, ` : "";
    if (letters.endsWith("T,T")) return `${head}${place(row)} and ${place(col)}`;
    return `${head}${place(row)}, channel ${col}`;
  }

  let opened = stepIndex("attn.q"), layer;
  const narrow = matchMedia("(max-width: 860px)");
  const panel = byId("step"), home = panel.parentElement;
  const settle = () => (narrow.matches ? boxes[opened].parentElement : home).append(panel);
  narrow.addEventListener("change", settle);

  function open(index) {
    opened = index;
    boxes.forEach((box, i) => box.setAttribute("aria-expanded", i === index));
    layer = tracedLayer();
    say("traced", el("b", {}, `Layer ${layer}`), layer === chosen.layer ? "" : `: the steps of layer ${chosen.layer} are not on this page`);
    const step = traceOf(layer)[index], sheets = stepSheets(layer, index), readout = el("output", {className: "readout"});
    const isWeights = step.name.endsWith("attn.weights");
    const scale = isWeights ? strengthScale : signScale(limitOf(sheets));
    const rest = () => readout.replaceChildren("Point at a value, or use the arrow keys.");
    const pictures = sheets.map((sheet, s) => {
      const picture = matrix({
        name: () => sheets.length > 1 ? `${step.name}, head ${s}` : step.name,
        readout,
        describe: (r, c) => `${cell(index, s, r, c)}: ${exact(sheet.at(r, c))}`,
        rest,
        pick: r => choose({position: Math.min(r, P - 1)}),
      });
      picture.show(isWeights ? lower(sheet) : sheet, scale);
      return picture;
    });
    const square = step.letters.endsWith("T,T"), box = el("div", {className: sheets.length > 1 ? "sheets" : "sheet"});
    box.style.setProperty("--across", across(sheets.length, 4));
    pictures.forEach(({node}, s) => {
      node.classList.toggle("stretched", !square);
      box.append(sheets.length > 1 ? el("figure", {}, el("figcaption", {}, `head ${s}`), node) : node);
    });
    const scaleBox = el("div", {className: "legend"});
    const cut = data.trace_positions < T ? ` Drawn: the first ${data.trace_positions} of ${T} positions.` : "";
    panel.replaceChildren(
      el("figcaption", {}, el("b", {}, step.name), el("code", {}, `[${step.letters}] = [${step.shape.join(",")}]`),
         el("small", {}, isInput(index) ? "the stream as it comes into the layer" : meaning[shortName(index)][1])),
      box, readout, scaleBox,
      el("p", {className: "note"}, `From ${rough(step.least)} to ${rough(step.most)}; its rows are ${rough(step.norm)} long on average.` +
         (isWeights ? "" : " Full colour from the value that 99 of 100 stay below.") + cut));
    legend(scaleBox, scale);
    paintPanel = () => pictures.forEach(picture => picture.paint());
    rest();
    settle();
  }
  let paintPanel = () => {};
  whenChosen(() => { if (layer !== tracedLayer() || !hasTrace(chosen.layer)) open(opened); });
  drawings.push(() => paintPanel());
}
