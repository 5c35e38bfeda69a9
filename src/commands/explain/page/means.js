// 1: the matrix that changes its mind, and the two ideas inside it.
"use strict";

{
  const means = data.means.matrices.map(text => triangle(floats(text)));
  const kinds = [
    {name: "A loop", how: "for t: y[t] = mean(x[:t+1])", idea: "correct, and slow"},
    {name: "A triangle", how: "W = tril(1) ÷ row sums", idea: "the loop as one product, y = W x"},
    {name: "A mask and a softmax", how: "W = softmax(0 + mask)", idea: "scores that say nothing yet"},
    {name: "Queries and keys", how: "W = softmax(q kᵀ ⁄ √D + mask)", idea: "scores that depend on content"},
  ];
  const sheetOf = kind => kind < 3 ? means[kind] : attention(chosen.layer, chosen.head);
  const readout = byId("row-words"), scale = strengthScale;

  // What a row of a mean says, and what attention says instead.
  function rowWords(t) {
    const W = sheetOf(3), order = [...Array(t + 1).keys()].sort((a, b) => W.at(t, b) - W.at(t, a));
    const most = order.slice(0, 3).map(j => `${percent(W.at(t, j))} of ${place(j)}`);
    return `The average gives ${percent(means[0].at(t, 0))} to each of ${plural(t + 1, "position")}. ` +
      `Attention takes ${most.join(", ")}${order.length > 3 ? ", and less of the others" : ""}.`;
  }

  const pictures = kinds.map((kind, index) => {
    const picture = matrix({
      name: () => `${kind.name}, weights`,
      readout,
      describe: (t, j) => {
        showRow(t);
        return j > t ? `${kind.name}: ${place(t)} may not use ${place(j)}, which comes later.`
          : `${kind.name}: ${place(t)} takes ${exact(sheetOf(index).at(t, j))} of ${place(j)}.`;
      },
      rest: showChosen,
      pick: t => choose({position: t}),
    });
    byId("mixes").append(el("figure", {className: index < 3 ? "mean" : "content"},
      el("figcaption", {}, el("b", {}, kind.name), el("code", {}, kind.how), el("small", {}, kind.idea)),
      picture.node));
    return picture;
  });

  function showRow(t) {
    pictures.forEach(picture => picture.markRow(t, t + 1));
    say("row-title", `Row ${t}: how `, word(data.ids[t]), " mixes",
        el("small", {}, "filled: attention; the line: the average"));
    const bars = [];
    let most = 0;
    for (let j = 0; j <= t; ++j) most = Math.max(most, sheetOf(3).at(t, j), means[0].at(t, j));
    for (let j = 0; j <= t; ++j) {
      const fill = el("i"), line = el("u");
      fill.style.height = 100 * sheetOf(3).at(t, j) / most + "%";
      line.style.bottom = 100 * means[0].at(t, j) / most + "%";
      bars.push(el("span", {title: `${tokenAt(j)}: ${percent(sheetOf(3).at(t, j))}`}, el("b", {}, fill, line), word(data.ids[j])));
    }
    say("row", ...bars);
    const long = data.ids.slice(0, t + 1).some(id => tokenText(id).length > 3);
    byId("row").className = "bars" + (t >= 100 ? " crowd" : long && t >= 18 ? " many" : long && t >= 6 ? " several" : "");
  }
  function showChosen() {
    showRow(chosen.position);
    readout.replaceChildren(rowWords(chosen.position));
  }

  let apart = 0;
  for (const mean of means)
    for (let t = 0; t < P; ++t)
      for (let j = 0; j <= t; ++j) apart = Math.max(apart, Math.abs(mean.at(t, j) - means[0].at(t, j)));
  say("means-agree", "The first three are one matrix: their entries differ by ", el("b", {}, rough(apart)),
      apart === 0 ? ", to the last bit" : " at most", `. What they make of the values of layer ${data.layer}, head ${data.head} differs by `,
      el("b", {}, rough(data.means.difference)), ` at most, where values reach ${rough(data.means.largest)}: the order of adding up, nothing else.`);
  legend(byId("mixes-scale"), scale, el("span", {className: "key"}, el("i", {className: "hatch"}), "not legal"));
  draws(() => pictures.forEach((picture, kind) => picture.show(sheetOf(kind), scale)));
  whenChosen(() => {
    pictures[3].show(sheetOf(3), scale);
    showChosen();
  });
}

// Scores, mask, softmax: of a traced layer, where every step is there.
{
  const readout = byId("access-words");
  const parts = [
    {step: "attn.scores", title: "How strongly", how: "q kᵀ ⁄ √D", idea: "every pair, the future too"},
    {step: "attn.masked", title: "Which", how: "+ mask", idea: "0 for the past, −∞ for the future"},
    {step: "attn.weights", title: "Both", how: "softmax", idea: "eˣ, then each row ÷ its sum"},
  ];
  const sheetsOf = memoised(l => parts.map(part => stepSheets(l, stepIndex(part.step))));
  const scaleOf = memoised(l => signScale(limitOf(sheetsOf(l)[0])));
  const sheet = part => sheetsOf(tracedLayer())[part][chosen.head];

  const say = () => readout.replaceChildren(
    `Layer ${tracedLayer()}, head ${chosen.head}. Point at an entry to follow it through the three steps.`);
  const pictures = parts.map(part => matrix({
    name: () => part.how,
    readout,
    describe: (t, j) => `${place(t)} and ${place(j)}: ` + parts.map((_, i) => exact(sheet(i).at(t, j))).join(" → "),
    rest: say,
    pick: t => choose({position: Math.min(t, P - 1)}),
  }));
  parts.forEach((part, i) => byId("access").append(el("figure", {},
    el("figcaption", {}, el("b", {}, part.title), el("code", {}, part.how), el("small", {}, part.idea)),
    pictures[i].node)));
  function show() {
    const signs = scaleOf(tracedLayer());
    pictures.forEach((picture, i) => i < 2 ? picture.show(sheet(i), signs) : picture.show(lower(sheet(i)), strengthScale));
    legend(byId("access-scale"), signs, el("small", {}, "The first two; the third as above."));
  }
  draws(show);
  whenChosen(() => { show(); say(); });
}
