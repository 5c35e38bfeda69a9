// 5: the residual stream, and what the model would say if it stopped after any block.
"use strict";

{
  const stream = floats(data.stream), added = floats(data.added);
  const stages = 2 * L + 1;
  const names = ["embedding"];
  for (let l = 0; l < L; ++l) names.push(`${l} attention`, `${l} MLP`);
  const svg = (tag, attributes, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  // Sizes span powers of ten in large models: the axis is logarithmic.
  const sizes = [...stream, ...added].filter(x => x > 0 && Number.isFinite(x));
  const low = Math.log10(Math.min(...sizes, 1)), high = Math.log10(Math.max(...sizes, 1) * 1.15);
  const height = 330, left = 40, bottom = 34;
  let width = 0;  // as wide as there is room
  const x = stage => left + 14 + (width - left - 28) * stage / (stages - 1);
  const y = size => (height - bottom) * (1 - (Math.log10(Math.max(size, 10 ** low)) - low) / (high - low)) + 6;

  function chart(t) {
    const line = at => "M" + Array.from({length: stages}, (_, s) => `${x(s).toFixed(1)},${y(stream[s * P + at]).toFixed(1)}`).join("L");
    const parts = [];
    for (let power = Math.floor(low); power <= high; ++power)
      for (const digit of high - low > 1.7 ? [1] : [1, 2, 5]) {
        const size = digit * 10 ** power;
        if (Math.log10(size) < low || Math.log10(size) > high) continue;
        parts.push(svg("line", {class: "grid", x1: left, x2: width, y1: y(size), y2: y(size)}),
                   svg("text", {x: left - 8, y: y(size) + 4, "text-anchor": "end"}, String(Number(size.toPrecision(1)))));
      }
    for (let l = 0; l < L; l += Math.ceil(22 * L / width))
      parts.push(svg("text", {x: (x(2 * l + 1) + x(2 * l + 2)) / 2, y: height - 6, "text-anchor": "middle"}, width / L > 60 ? `layer ${l}` : l));
    for (let l = 1; l < L; ++l)
      parts.push(svg("line", {class: "grid", x1: (x(2 * l) + x(2 * l + 1)) / 2, x2: (x(2 * l) + x(2 * l + 1)) / 2, y1: 6, y2: height - bottom + 6}));
    const others = Math.max(1, Math.floor(P / 64));  // enough to see what is usual
    for (let other = 0; other < P; other += others) if (other !== t) parts.push(svg("path", {class: "other", d: line(other)}));
    parts.push(svg("path", {class: "stream", d: line(t)}));
    for (let s = 1; s < stages; ++s) {
      const size = added[(s - 1) * P + t], title = svg("title", {}, `${names[s]} added ${exact(size)}`);
      parts.push(s % 2 ? svg("circle", {class: "told", cx: x(s), cy: y(size), r: 5}, title)
        : svg("rect", {class: "thought", x: x(s) - 4.5, y: y(size) - 4.5, width: 9, height: 9}, title));
    }
    for (let s = 0; s < stages; ++s)
      parts.push(svg("circle", {class: "stop", cx: x(s), cy: y(stream[s * P + t]), r: 3}, svg("title", {}, `${names[s]}: ${exact(stream[s * P + t])}`)));
    return svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label":
      `Length of the stream at position ${t}: ${rough(stream[t])} at the embedding, ${rough(stream[(stages - 1) * P + t])} at the end`}, ...parts);
  }

  function table(t) {
    const rows = Array.from({length: stages}, (_, s) => el("tr", {}, el("th", {scope: "row"}, names[s]),
      el("td", {}, s ? exact(added[(s - 1) * P + t]) : ""), el("td", {}, exact(stream[s * P + t]))));
    return el("table", {}, el("thead", {}, el("tr", {}, ...["after", "added", "stream"].map(name => el("th", {scope: "col"}, name)))),
              el("tbody", {}, ...rows));
  }

  // Predictions by block (the embedding first) and position, the likeliest first.
  const probabilities = floats(data.lens.probabilities), count = probabilities.length / ((L + 1) * P);
  const guess = (block, t, rank) => {
    const at = (block * P + t) * count + rank;
    return [data.lens.ids[at], probabilities[at]];
  };
  const blockName = block => block === 0 ? "embedding" : `after layer ${block - 1}`;
  const scale = sureScale;

  const body = el("tbody"), cells = [];
  byId("lens").append(el("table", {className: "lens"}, el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "reads"),
    ...Array.from({length: L + 1}, (_, b) => el("th", {scope: "col"}, b === 0 ? "embedding" : `layer ${b - 1}`)))), body));
  for (let t = 0; t < P; ++t) {
    const row = el("tr", {onclick: () => choose({position: t})}, el("th", {scope: "row"}, word(data.ids[t])));
    for (let b = 0; b <= L; ++b) {
      const [id, p] = guess(b, t, 0);
      const cell = el("td", {title: `${blockName(b)}: ${tokenText(id)} ${percent(p)}`, className: id === data.ids[t + 1] ? "right" : ""}, word(id));
      cells.push([cell, p]);
      row.append(cell);
    }
    body.append(row);
  }
  legend(byId("lens-scale"), scale);
  draws(() => cells.forEach(([cell, p]) => {
    cell.style.backgroundColor = css(scale, p);
    cell.className = cell.className.replace(/ ?(dark|light)-ink/, "") + (isLight(scale, p) ? " dark-ink" : " light-ink");
  }));

  new ResizeObserver(() => {
    if (byId("norms").clientWidth === width) return;
    width = byId("norms").clientWidth;
    say("norms", chart(chosen.position));
  }).observe(byId("norms"));

  whenChosen(() => {
    const t = chosen.position;
    say("norms-title", "The stream at ", word(data.ids[t]), `, position ${t}`, el("small", {className: "keys"},
      el("span", {}, el("i", {className: "key-stream"}), "length of the stream"), el("span", {}, el("i", {className: "key-told"}), "attention added"),
      el("span", {}, el("i", {className: "key-thought"}), "the MLP added"), el("span", {}, el("i", {className: "key-other"}), "other positions")));
    width = byId("norms").clientWidth;
    say("norms", chart(t));
    say("norms-table", table(t));
    const follows = t + 1 < T ? [el("small", {}, "what follows is ", word(data.ids[t + 1]))] : [];
    say("lens-title", "After ", word(data.ids[t]), `, position ${t}`, ...follows);
    say("lens-one", ...Array.from({length: L + 1}, (_, b) => {
      const [id, p] = guess(b, t, 0), bar = el("i");
      bar.style.width = 100 * p + "%";
      const others = Array.from({length: count - 1}, (_, r) => guess(b, t, r + 1)).map(([other, q]) => `${quoted(other)} ${percent(q)}`);
      return el("li", {}, el("span", {className: "at"}, blockName(b)), word(id), el("span", {className: "bar"}, bar),
                el("span", {className: "value"}, percent(p)), el("small", {}, others.join(", ")));
    }));
    [...body.children].forEach((row, at) => row.classList.toggle("chosen", at === t));
  });
}
