// A matrix as a picture whose values can be read: by hovering, by touch, and with the arrow keys.
"use strict";

// Both scales change in lightness alone from end to end (or from the middle to either end), and
// pair blue with orange, so that every kind of sight can read them.
const palettes = {
  light: {
    strength: ["#edf1f3", "#c6d9e5", "#7fb2d0", "#3579ab", "#114472", "#061a33"],
    sign: ["#0d3f66", "#3b82ae", "#a9cbdd", "#f5f3ee", "#f0c08f", "#cf7420", "#7a3604"],
  },
  dark: {
    strength: ["#22282e", "#264559", "#2f7196", "#55a6c4", "#a5d8dd", "#f4fbe8"],
    sign: ["#a9ddf5", "#57a6cf", "#2d5a75", "#1f2226", "#7a4a1c", "#d98a37", "#ffd9a3"],
  },
};

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => prefersDark.matches && !("print" in document.documentElement.dataset);

// 256 colours between the stops, as the bytes of a canvas.
function lookup(stops) {
  const channels = stops.map(stop => [1, 3, 5].map(at => parseInt(stop.slice(at, at + 2), 16)));
  const table = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; ++i) {
    const at = i / 255 * (stops.length - 1), from = Math.min(Math.floor(at), stops.length - 2);
    for (let k = 0; k < 3; ++k)
      table[4 * i + k] = channels[from][k] + (at - from) * (channels[from + 1][k] - channels[from][k]);
    table[4 * i + 3] = 255;
  }
  return table;
}
const tableOf = memoised(key => lookup(palettes[key.split(" ")[0]][key.split(" ")[1]]));
const tableNow = palette => tableOf((isDark() ? "dark " : "light ") + palette);

// How values become colours: where() is the place of a value between the ends, 0 to 1.
// Weights, 0 to 1, by their square root, so that small ones can be told from none.
const strengthScale = {
  palette: "strength",
  where: x => Math.sqrt(Math.max(0, x)),
  ticks: [0, 1, 5, 25, 50, 100].map(part => [Math.sqrt(part / 100), part + " %"]),
};
// Probabilities, 0 to 1.
const sureScale = {palette: "strength", where: x => x, ticks: [0, 25, 50, 75, 100].map(part => [part / 100, part + " %"])};
// Values of either sign, full colour from ±limit on.
function signScale(limit) {
  const ticks = [-1, -0.5, 0, 0.5, 1].map(part => [(part + 1) / 2, rough(part * limit)]);
  return {palette: "sign", where: x => 0.5 + x / limit / 2, ticks};
}
// A limit that all but a hundredth of the values stay below.
function limitOf(sheets) {
  const sizes = [];
  for (const {rows, cols, at} of sheets)
    for (let r = 0; r < rows; ++r)
      for (let c = 0; c < cols; ++c)
        if (Number.isFinite(at(r, c))) sizes.push(Math.abs(at(r, c)));
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.99 * (sizes.length - 1))] || 1;
}

function css(scale, x) {
  const i = 4 * Math.round(255 * Math.max(0, Math.min(1, scale.where(x))));
  return `rgb(${tableNow(scale.palette).slice(i, i + 3).join(" ")})`;
}
// Whether text on that colour must be dark.
const isLight = (scale, x) => isDark() === (scale.where(x) > 0.5);

const drawings = [];  // to be done again when the theme changes
function draws(draw) {
  drawings.push(draw);
  draw();
}
const redraw = () => drawings.forEach(draw => draw());
prefersDark.addEventListener("change", redraw);
addEventListener("beforeprint", () => { document.documentElement.dataset.print = ""; redraw(); });
addEventListener("afterprint", () => { delete document.documentElement.dataset.print; redraw(); });

function paint(canvas, {rows, cols, at}, scale) {
  canvas.width = cols;
  canvas.height = rows;
  const image = new ImageData(cols, rows), table = tableNow(scale.palette);
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < cols; ++c) {
      const x = at(r, c);
      if (x === undefined || x === -Infinity) continue;  // not legal: the ground shows
      const i = 4 * Math.round(255 * Math.max(0, Math.min(1, scale.where(x))));
      image.data.set(table.subarray(i, i + 4), 4 * (r * cols + c));
    }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// The ramps of both scales, for the style sheet.
draws(() => {
  for (const [palette, stops] of Object.entries(palettes[isDark() ? "dark" : "light"]))
    document.documentElement.style.setProperty("--" + palette, `linear-gradient(to right, ${stops.join(", ")})`);
});
function legend(box, scale, more = "") {
  const ticks = scale.ticks.map(([where, text]) => {
    const tick = el("span", {}, text);
    tick.style.left = 100 * where + "%";
    return tick;
  });
  box.replaceChildren(el("div", {className: "scale"}, el("div", {className: "ramp " + scale.palette}),
                         el("div", {className: "ticks"}, ...ticks)), more);
}

// describe(row, col) is what is said of a cell in `readout`, rest() what is said when none is
// pointed at, pick(row, col) what a click or Enter does.
function matrix({name, readout, describe, rest = () => {}, pick = () => {}}) {
  const canvas = el("canvas"), mark = el("i", {className: "mark"}), cursor = el("i", {className: "cursor"});
  const node = el("div", {className: "matrix", tabIndex: 0, role: "application",
                          "aria-roledescription": "matrix"}, canvas, mark, cursor);
  let sheet, scale, row = 0, col = 0;

  function box(part, top, left, height, width) {
    part.style.cssText = `top:${100 * top / sheet.rows}%;left:${100 * left / sheet.cols}%;` +
      `height:${100 * height / sheet.rows}%;width:${100 * width / sheet.cols}%`;
  }
  function point(r, c) {
    row = Math.max(0, Math.min(sheet.rows - 1, r));
    col = Math.max(0, Math.min(sheet.cols - 1, c));
    node.classList.add("pointing");
    box(cursor, row, col, 1, 1);
    readout.replaceChildren(describe(row, col));
  }
  function leave() {
    node.classList.remove("pointing");
    rest();
  }
  function pointTo(event) {
    const {left, top, width, height} = node.getBoundingClientRect();
    point(Math.floor((event.clientY - top) / height * sheet.rows),
          Math.floor((event.clientX - left) / width * sheet.cols));
  }
  node.addEventListener("pointermove", pointTo);
  node.addEventListener("pointerleave", leave);
  node.addEventListener("click", event => { pointTo(event); pick(row, col); });
  node.addEventListener("focus", () => node.matches(":focus-visible") && point(row, col));
  node.addEventListener("blur", leave);
  node.addEventListener("keydown", event => {
    const to = {ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1],
                ArrowRight: [row, col + 1], Home: [row, 0], End: [row, sheet.cols - 1],
                PageUp: [row - 10, col], PageDown: [row + 10, col]}[event.key];
    if (to) point(...to);
    else if (event.key === "Enter" || event.key === " ") pick(row, col);
    else return;
    event.preventDefault();
  });

  return {
    node,
    show(newSheet, newScale) {
      sheet = newSheet;
      scale = newScale;
      row = Math.min(row, sheet.rows - 1);
      col = Math.min(col, sheet.cols - 1);
      node.style.setProperty("--rows", sheet.rows);
      node.style.setProperty("--cols", sheet.cols);
      node.classList.toggle("ruled", Math.max(sheet.rows, sheet.cols) <= 24);
      node.classList.toggle("fine", sheet.cols > 500);
      node.setAttribute("aria-label", `${name()}: ${sheet.rows} rows, ${sheet.cols} columns; arrow keys read the values`);
      paint(canvas, sheet, scale);
    },
    markRow(r, cols = sheet.cols) { row = r; box(mark, r, 0, 1, cols); },
    paint() { paint(canvas, sheet, scale); },
  };
}
