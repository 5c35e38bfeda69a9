// 6: the next token, under the settings of the sampler.
"use strict";

// What model/sampler.cpp does: the k likeliest, weights at that temperature, the likeliest that
// together reach p, and those that are min_p times as likely as the likeliest. Gives the
// probability of each token that is left, in order.
function sampled({temperature, topK, topP, minP}) {
  const {logits, order} = next;
  if (temperature === 0) return [1];
  const kept = topK > 0 ? order.slice(0, topK) : order;
  let weights = kept.map(id => Math.exp((logits[id] - logits[order[0]]) / temperature));
  if (topP < 1) {
    const wanted = topP * weights.reduce((sum, w) => sum + w, 0);
    let sum = 0, count = 0;
    while (count < weights.length && (count === 0 || sum < wanted)) sum += weights[count++];
    weights = weights.slice(0, count);
  }
  weights = weights.filter(w => w >= minP && w > 0);
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map(w => w / total);
}

{
  const V = data.candidates, shown = Math.min(16, V);
  const steps = [1, 2, 3, 4, 5, 8, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000].filter(k => k < V);
  const settings = {temperature: 1, topK: 0, topP: 1, minP: 0};
  const knobs = [
    {key: "temperature", name: "temperature", from: 0, to: 2, step: 0.05, start: 1, text: x => x === 0 ? "0, always the likeliest" : x.toFixed(2)},
    {key: "topK", name: "top-k", from: 0, to: steps.length, step: 1, start: steps.length, value: i => steps[i] ?? 0, text: k => k === 0 ? "off" : grouped(k)},
    {key: "topP", name: "top-p", from: 0.05, to: 1, step: 0.01, start: 1, text: p => p === 1 ? "off" : p.toFixed(2)},
    {key: "minP", name: "min-p", from: 0, to: 0.5, step: 0.01, start: 0, text: p => p === 0 ? "off" : p.toFixed(2)},
  ];
  const inputs = knobs.map(knob => {
    const input = el("input", {type: "range", min: knob.from, max: knob.to, step: knob.step, id: "knob-" + knob.key});
    const output = el("output", {htmlFor: input.id});
    input.value = knob.start;
    const set = () => {
      const value = knob.value ? knob.value(Number(input.value)) : Number(input.value);
      settings[knob.key] = value;
      output.textContent = knob.text(value);
      input.setAttribute("aria-valuetext", knob.text(value));
    };
    input.addEventListener("input", () => { set(); show(); });
    byId("knobs").append(el("div", {}, el("label", {htmlFor: input.id}, knob.name), output, input));
    set();
    return [input, knob.start, set];
  });
  byId("knobs").append(el("button", {type: "button", onclick: () => {
    inputs.forEach(([input, start, set]) => { input.value = start; set(); });
    show();
  }}, "As the model says"));

  const {order, probability} = next;
  const rows = order.slice(0, shown).map(id => {
    const own = el("u"), now = el("i"), value = el("span", {className: "value"});
    const row = el("li", {}, word(id), el("span", {className: "bar"}, now, own), value);
    byId("next-tokens").append(row);
    return {id, own, now, value, row};
  });

  function show() {
    const left = sampled(settings), most = Math.max(left[0], probability(order[0]));
    let mass = 0;
    for (let i = 0; i < left.length; ++i) mass += probability(order[i]);
    rows.forEach(({id, own, now, value, row}, rank) => {
      const p = left[rank] ?? 0;
      own.style.width = 100 * probability(id) / most + "%";
      now.style.width = 100 * p / most + "%";
      value.textContent = rank < left.length ? percent(p) : "out";
      row.classList.toggle("out", rank >= left.length);
      row.title = `id ${id}, logit ${exact(next.logits[id])}, the model’s own ${percent(probability(id))}`;
    });
    say("next-words", `${plural(left.length, "token")} of ${grouped(V)} can be drawn. The model gave ` +
        `${left.length === 1 ? "it" : "them"} ${percent(Math.min(1, mass))} of its probability.`);
  }
  say("next-title", "After ", word(data.ids[T - 1]), el("small", {}, "filled: as drawn from; outlined: the model’s own"));
  show();
}
