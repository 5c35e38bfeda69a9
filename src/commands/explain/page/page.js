// The head and the foot of the page, and the bar that chooses what the figures show.
"use strict";

{
  const {model} = data;
  const text = data.ids.map(id => data.pieces[id] ?? "").join("").trim();
  if (text) document.title = `${[...text].slice(0, 60).map(visible).join("").replaceAll("·", " ")} · See it think`;
  say("model", `· ${model.name}`);
  say("about", `${plural(T, "token")} of at most ${grouped(model.context)}, ${plural(L, "layer")}, ${plural(H, "head")}, ` +
      `${plural(C, "channel")}, a vocabulary of ${grouped(model.vocabulary)}. Choose a token, a layer, a head: the figures follow.` +
      (P < T ? ` Drawn are the first ${grouped(P)} positions.` : ""));
  tokenFlow(byId("text"));

  const option = (value, label, disabled = false) => el("option", {value, disabled}, label);
  const selects = {
    position: Array.from({length: P}, (_, t) => option(t, `${t}  ${tokenAt(t)}`)),
    layer: Array.from({length: L}, (_, l) => option(l, hasAttention(l) ? String(l) : `${l}, not on this page`, !hasAttention(l))),
    head: Array.from({length: H}, (_, h) => option(h, String(h))),
  };
  for (const [part, options] of Object.entries(selects)) {
    const select = byId(part);
    select.append(...options);
    select.addEventListener("change", () => choose({[part]: Number(select.value)}));
    whenChosen(() => select.value = chosen[part]);
  }

  say("holds", `Every matrix is what GPT-2’s forward pass in plain loops gave an observer at that step: 32-bit floats, ` +
      `byte for byte those that “gpt logits --dump” writes. ${plural(data.substitutions.length, "more run")} of the model ` +
      `went into part 4. The file needs no network, and allows itself none.`);
  const left = [];
  if (P < T) left.push(`positions from ${P} on, which change nothing before them`);
  if (data.attention.length < L) left.push(`attention of the layers other than ${layersText(data.first_layer, data.attention.length)}`);
  if (data.traces.length < L) left.push(`every step of the layers other than ${tracedLayers()}`);
  if (data.trace_positions < P) left.push(`the shape trace’s numbers from position ${data.trace_positions} on`);
  say("left-out", left.length ? `Left out, to stay small: ${left.join("; ")}. --layer puts another layer in the middle.` : "Nothing is left out.");
}
