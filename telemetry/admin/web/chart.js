// Small charts of 24 hours, as SVG whose colours are the style sheet's.

// The path of a line through `values`, `most` being as high as it gets.
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

const classes = ["scatter_gather", "multi_shard", "single_shard", "unsharded", "unknown", "not_routed"];

function summed(series, names) {
  const all = [];
  for (const name of names) (series[name] ?? []).forEach((value, at) => { all[at] = (all[at] ?? 0) + value; });
  return all;
}

// Commands in grey, findings in red before them, each on a scale of its own.
function historyChart(series, steps, width, height) {
  const length = steps.count;
  const fill = values => values.length ? values : new Array(length).fill(0);
  const commands = fill(summed(series, [...classes, "accepted", "getMore"]));
  const findings = fill(summed(series, ["findings"]));
  const perSecond = values => rate(greatest(values) / steps.seconds);
  const words = `24 hours: at most ${perSecond(commands)} commands, ${perSecond(findings)} findings`;
  return make("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words, preserveAspectRatio: "none"},
    make("title", {}, words),
    make("path", {class: "commands", d: area(commands, greatest(commands), width, height)}),
    make("path", {class: "found", d: line(findings, greatest(findings), width, height)}));
}

// Where commands went, as one bar.
function shareBar(counts, width, height) {
  const scatter = counts.byRouting.scatter_gather;
  const parts = [
    ["findings", counts.findings], ["scatters that are no findings", Math.max(0, scatter - counts.findings), "plainly"],
    ["accepted", counts.accepted], ["several shards", counts.byRouting.multi_shard],
    ["one shard", counts.byRouting.single_shard], ["unsharded", counts.byRouting.unsharded],
    ["unknown", counts.byRouting.unknown], ["not routed", counts.byRouting.not_routed], ["getMore", counts.getMore],
  ];
  const words = parts.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${percent(count, counts.commands)}`).join(", ") || "no commands";
  const bar = make("svg", {class: "share", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words, preserveAspectRatio: "none"}, make("title", {}, words));
  let at = 0;
  for (const [name, count] of parts) {
    if (!count) continue;
    // What is bad is to be seen however rare it is.
    const wide = Math.max(width * count / counts.commands, name === "findings" ? 2 : 0);
    bar.append(make("rect", {class: name.replace(/ /g, "_"), x: at.toFixed(2), y: 0, width: wide.toFixed(2), height}));
    at += wide;
  }
  return bar;
}
