// Small charts, as SVG whose colours come from the style sheet. The first part computes, the second draws.

import {make} from "./elements.js";
import {percent, rate} from "./text.js";

// The path of a line through `values`; `most` is at the top.
export function line(values, most, width, height) {
  if (values.length < 2 || most === 0) return "";
  const step = width / (values.length - 1);
  return "M" + values.map((value, at) => `${(at * step).toFixed(1)},${(height - (height - 1) * value / most).toFixed(1)}`).join("L");
}

export function area(values, most, width, height) {
  const above = line(values, most, width, height);
  return above && `${above}L${width},${height}L0,${height}Z`;
}

// The greatest of `values`; 0 if there are none.
export function greatest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

// The mark's position in a chart; null if it is outside.
export function placeOfMark(axis, width, mark) {
  // A mark set just now may be in a step that isn't in the history yet.
  if (mark === null || mark < axis.from || mark > axis.end + axis.seconds * 1000) return null;
  return Math.min(width - 1, width * (mark - axis.from) / (axis.end - axis.from));
}

// [name, count] of each destination of commands, in the bar's order.
export function partsOf(counts) {
  const scatter = counts.byRouting.scatter_gather;
  return [
    ["findings", counts.findings], ["scatters that aren't findings", Math.max(0, scatter - counts.findings)],
    ["accepted", counts.accepted], ["several shards", counts.byRouting.multi_shard],
    ["one shard", counts.byRouting.single_shard], ["unsharded", counts.byRouting.unsharded],
    ["unknown", counts.byRouting.unknown], ["not routed", counts.byRouting.not_routed], ["getMore", counts.getMore],
  ].filter(([, count]) => count > 0);
}

// {name, x, width} of each part of a bar.
export function slicesOf(counts, width) {
  let x = 0;
  return partsOf(counts).map(([name, count]) => {
    // Findings are visible however rare they are.
    const slice = {name, x, width: Math.max(width * count / counts.commands, name === "findings" ? 2 : 0)};
    x += slice.width;
    return slice;
  });
}

function markLine(axis, width, height, mark) {
  const place = placeOfMark(axis, width, mark);
  if (place === null) return null;
  const x = place.toFixed(1);
  return make("line", {class: "at-mark", x1: x, x2: x, y1: 0, y2: height});
}

function svg(kind, width, height, attributes, ...children) {
  return make("svg", {class: kind, viewBox: `0 0 ${width} ${height}`, width, height, preserveAspectRatio: "none", ...attributes}, children);
}

// Commands in grey, findings in red in front of them, each with its own scale.
export function historyChart({commands, findings}, axis, width, height, mark) {
  const perSecond = values => rate(greatest(values) / axis.seconds);
  const words = `${axis.words}: at most ${perSecond(commands)} commands, ${perSecond(findings)} findings`;
  return svg("chart", width, height, {role: "img", "aria-label": words},
    make("title", {}, words),
    make("path", {class: "commands", d: area(commands, greatest(commands), width, height)}),
    make("path", {class: "found", d: line(findings, greatest(findings), width, height)}),
    markLine(axis, width, height, mark));
}

// Commands alone, for a row, which has the other figures as text.
export function sparkline(commands, axis, width, height, mark) {
  return svg("chart", width, height, {"aria-hidden": "true"},
    make("title", {}, `${axis.words}: at most ${rate(greatest(commands) / axis.seconds)}`),
    make("path", {class: "commands", d: area(commands, greatest(commands), width, height)}),
    markLine(axis, width, height, mark));
}

// The destinations of commands, as one bar.
export function shareBar(counts, width, height) {
  const words = partsOf(counts).map(([name, count]) => `${name} ${percent(count, counts.commands)}`).join(", ") || "no commands";
  return svg("share", width, height, {role: "img", "aria-label": words}, make("title", {}, words),
    slicesOf(counts, width).map(slice => make("rect", {
      class: slice.name.replace(/\W+/g, "_"), x: slice.x.toFixed(2), y: 0, width: slice.width.toFixed(2), height,
    })));
}
