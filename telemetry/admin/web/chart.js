// Small charts, as SVG whose colours come from the style sheet.

// The path of a line through `values`; `most` is at the top.
function line(values, most, width, height) {
  if (values.length < 2 || most === 0) return "";
  const step = width / (values.length - 1);
  return "M" + values.map((value, at) => `${(at * step).toFixed(1)},${(height - (height - 1) * value / most).toFixed(1)}`).join("L");
}

function area(values, most, width, height) {
  const above = line(values, most, width, height);
  return above && `${above}L${width},${height}L0,${height}Z`;
}

function greatest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

// A vertical line at the mark, where the chart reaches it.
function markLine(axis, width, height, mark) {
  // A mark of this moment may be in a step that the history will have.
  if (mark === null || mark < axis.from || mark > axis.end + axis.seconds * 1000) return null;
  const x = Math.min(width - 1, width * (mark - axis.from) / (axis.end - axis.from)).toFixed(1);
  return make("line", {class: "at-mark", x1: x, x2: x, y1: 0, y2: height});
}

function svg(kind, width, height, attributes, ...children) {
  return make("svg", {class: kind, viewBox: `0 0 ${width} ${height}`, width, height, preserveAspectRatio: "none", ...attributes}, children);
}

// Commands in grey, findings in red before them, each on a scale of its own.
function historyChart({commands, findings}, axis, width, height, mark) {
  const perSecond = values => rate(greatest(values) / axis.seconds);
  const words = `${axis.words}: at most ${perSecond(commands)} commands, ${perSecond(findings)} findings`;
  return svg("chart", width, height, {role: "img", "aria-label": words},
    make("title", {}, words),
    make("path", {class: "commands", d: area(commands, greatest(commands), width, height)}),
    make("path", {class: "found", d: line(findings, greatest(findings), width, height)}),
    markLine(axis, width, height, mark));
}

// Commands alone, for a row: its figures say the rest.
function sparkline(commands, axis, width, height, mark) {
  return svg("chart", width, height, {"aria-hidden": "true"},
    make("title", {}, `${axis.words}: at most ${rate(greatest(commands) / axis.seconds)}`),
    make("path", {class: "commands", d: area(commands, greatest(commands), width, height)}),
    markLine(axis, width, height, mark));
}

// Where commands went, as one bar.
function shareBar(counts, width, height) {
  const scatter = counts.byRouting.scatter_gather;
  const parts = [
    ["findings", counts.findings], ["scatters that are no findings", Math.max(0, scatter - counts.findings)],
    ["accepted", counts.accepted], ["several shards", counts.byRouting.multi_shard],
    ["one shard", counts.byRouting.single_shard], ["unsharded", counts.byRouting.unsharded],
    ["unknown", counts.byRouting.unknown], ["not routed", counts.byRouting.not_routed], ["getMore", counts.getMore],
  ];
  const words = parts.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${percent(count, counts.commands)}`).join(", ") || "no commands";
  const bar = svg("share", width, height, {role: "img", "aria-label": words}, make("title", {}, words));
  let at = 0;
  for (const [name, count] of parts) {
    if (!count) continue;
    // Findings are visible however rare they are.
    const wide = Math.max(width * count / counts.commands, name === "findings" ? 2 : 0);
    bar.append(make("rect", {class: name.replace(/ /g, "_"), x: at.toFixed(2), y: 0, width: wide.toFixed(2), height}));
    at += wide;
  }
  return bar;
}
