// The data of the page, and what of it is chosen.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const {layers: L, heads: H, channels: C, inner: F} = data.model;
const T = data.ids.length;  // of the whole text
const P = data.positions;   // of which the figures show the first so many

// Base64 of little-endian floats -> Float32Array.
function floats(text) {
  const bytes = atob(text), array = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; ++i) array[i] = bytes.charCodeAt(i);
  return new Float32Array(array.buffer);
}

// f(key), computed once for every key.
function memoised(f) {
  const known = new Map();
  return key => {
    if (!known.has(key)) known.set(key, f(key));
    return known.get(key);
  };
}

// Rows of a lower triangle, each as far as the diagonal. What is not legal is undefined.
function triangle(values, sheet = 0) {
  const start = sheet * P * (P + 1) / 2;
  return {
    rows: P,
    cols: P,
    at: (t, j) => j <= t ? values[start + t * (t + 1) / 2 + j] : undefined,
  };
}

const attentionOfLayer = memoised(l => floats(data.attention[l - data.first_layer]));
const hasAttention = l => l >= data.first_layer && l < data.first_layer + data.attention.length;
const attention = (l, h) => triangle(attentionOfLayer(l), h);

// The layers whose steps are here, and of them the one to show: the chosen one, or else the first
// that was.
const hasTrace = l => l >= data.first_traced && l < data.first_traced + data.traces.length;
const tracedLayer = () => hasTrace(chosen.layer) ? chosen.layer : data.layer;
const traceOf = l => data.traces[l - data.first_traced];
const tracedLayers = () => layersText(data.first_traced, data.traces.length);

// A step of a traced layer as matrices, one for every sheet of its shape.
const stepValues = memoised(step => floats(step.values));
function stepSheets(l, index) {
  const step = traceOf(l)[index], {letters, shape} = step, values = stepValues(step);
  const rows = data.trace_positions, sheets = shape.length === 4 ? shape[1] : 1;
  const cols = letters.endsWith("T,T") ? rows : shape[shape.length - 1];
  return Array.from({length: sheets}, (_, s) => ({
    rows,
    cols,
    at: (r, c) => values[(s * rows + r) * cols + c],
  }));
}
// What is legal of a square matrix.
const lower = sheet => ({...sheet, at: (t, j) => j <= t ? sheet.at(t, j) : undefined});
const stepIndex = name => data.traces[0].findIndex(step => step.name.endsWith("." + name));

// The tokens that may come next, the likeliest first (of equal ones the lower id), and the model's
// own probabilities.
function nextTokens() {
  const logits = floats(data.logits).subarray(0, data.candidates);
  const order = Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
  let total = 0;
  for (const logit of logits) total += Math.exp(logit - logits[order[0]]);
  return {logits, order, probability: id => Math.exp(logits[id] - logits[order[0]]) / total};
}
const next = nextTokens();

// What the figures show. Whoever shows a part of it is told of changes.
const chosen = {position: P - 1, layer: data.layer, head: data.head};
const listeners = [];
function whenChosen(listener) {
  listeners.push(listener);
  listener();
}
function choose(change) {
  Object.assign(chosen, change);
  listeners.forEach(listener => listener());
}
