// 4: one token replaced, and what moved: attention communicates, the MLP computes.
"use strict";

if (data.substitutions.length === 0) byId("changes").remove();
else {
  const runs = data.substitutions.map(run => ({
    ...run,
    stream: floats(run.stream),
    attention: floats(run.attention),  // of one traced layer after the other
    mlp: floats(run.mlp),
    next: run.next.ids.map((id, i) => [id, floats(run.next.probabilities)[i]]),
  }));
  const stream = floats(data.stream), added = floats(data.added);
  let run = runs[0], layer;

  const buttons = runs.map(each => {
    const button = el("button", {type: "button", role: "radio", onclick: () => { run = each; show(); }},
      el("small", {}, `position ${each.position}`), word(each.from), " → ", word(each.to));
    byId("substitutions").append(button);
    return button;
  });
  rove(buttons, lineStep(buttons.length));

  // Changes relative to what was there, and exactly 0 where nothing moved.
  const relative = (change, size) => change === 0 ? 0 : change / (size || change);
  const strips = [["attention", "Attention"], ["mlp", "MLP"]].map(([key, name], part) => ({
    name,
    change: t => run[key][(layer - data.first_traced) * P + t],
    at(t) { return relative(this.change(t), added[(2 * layer + part) * P + t]); },
  }));
  const stages = ["embedding"];
  for (let l = 0; l < L; ++l) stages.push(`layer ${l}, after attention`, `layer ${l}, after the MLP`);
  const spread = (stage, t) => relative(run.stream[stage * P + t], stream[stage * P + t]);

  const aloneWords = byId("alone-words"), spreadWords = byId("spread-words");
  const moved = strip => [...Array(P).keys()].filter(t => strip.change(t) !== 0);
  function aloneSentence() {
    const [told, thought] = strips.map(moved);
    return `Attention’s output moved at ${plural(told.length, "position")}: ${ranges(told)}. The MLP’s moved at ` +
      `${plural(thought.length, "position")}: ${ranges(thought)}. Elsewhere not one bit is different.`;
  }
  // What did not move is left blank.
  const blank = (rows, at) => ({rows, cols: P, at: (r, t) => at(r, t) === 0 ? undefined : at(r, t)});

  const stripPictures = strips.map(strip => {
    const picture = matrix({
      name: () => strip.name,
      readout: aloneWords,
      describe: (_, t) => strip.change(t) === 0 ? `${strip.name}, ${place(t)}: not one bit is different`
        : `${strip.name}, ${place(t)}: moved by ${exact(strip.change(t))}, ${percent(strip.at(t))} of its length`,
      rest: () => aloneWords.replaceChildren(aloneSentence()),
      pick: (_, t) => choose({position: t}),
    });
    picture.node.classList.add("stretched");
    byId("alone").append(el("span", {}, strip.name), picture.node);
    return picture;
  });
  const spreadPicture = matrix({
    name: () => "Change of the residual stream",
    readout: spreadWords,
    describe: (stage, t) => run.stream[stage * P + t] === 0 ? `${stages[stage]}, ${place(t)}: not one bit is different`
      : `${stages[stage]}, ${place(t)}: moved by ${exact(run.stream[stage * P + t])}, ${percent(spread(stage, t))} of its length`,
    rest: () => spreadWords.replaceChildren(spreadSentence()),
    pick: (_, t) => choose({position: t}),
  });
  spreadPicture.node.classList.add("stretched");
  byId("spread").append(el("div", {className: "down"}, el("span", {}, L > 12 ? "" : "embedding"),
    ...Array.from({length: L}, (_, l) => el("span", {}, `layer ${l}`))), spreadPicture.node);
  legend(byId("spread-scale"), strengthScale, el("span", {className: "key"}, el("i", {className: "hatch"}), "not one bit different"));

  function spreadSentence() {
    let earlier = 0;
    for (let stage = 0; stage <= 2 * L; ++stage)
      for (let t = 0; t < run.position; ++t) earlier += run.stream[stage * P + t] !== 0;
    return `At the embedding one column moved. Each attention carries the change to later positions, never to ` +
      `earlier ones: ${earlier} of the entries left of position ${run.position} moved.`;
  }
  const guesses = list => list.map(([id, p]) => `${quoted(id)} ${percent(p)}`).join(", ");
  const before = next.order.slice(0, runs[0].next.length).map(id => [id, next.probability(id)]);

  function draw() {
    strips.forEach((strip, i) => stripPictures[i].show(blank(1, (_, t) => strip.at(t)), strengthScale));
    spreadPicture.show(blank(2 * L + 1, spread), strengthScale);
  }
  function show() {
    layer = tracedLayer();
    buttons.forEach((button, i) => {
      button.setAttribute("aria-checked", runs[i] === run);
      button.tabIndex = runs[i] === run ? 0 : -1;
    });
    say("alone-title", `Layer ${layer}, each part by itself`,
        el("small", {}, `its input changed at position ${run.position} and nowhere else`));
    aloneWords.replaceChildren(aloneSentence());
    spreadWords.replaceChildren(spreadSentence());
    say("answer", "And what comes after the text? It was ", el("b", {}, guesses(before)), "; it is now ",
        el("b", {}, guesses(run.next)), ".");
    draw();
  }
  draws(show);
  whenChosen(() => { if (layer !== tracedLayer()) show(); });
}
