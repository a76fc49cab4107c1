// Small charts, as SVG whose colours come from the style sheet.

import {area, greatest, line, partsOf, placeOfMark, slicesOf} from "./chart_scale.js";
import {make} from "./elements.js";
import {percent, rate} from "./text.js";

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
      class: slice.name.replace(/ /g, "_"), x: slice.x.toFixed(2), y: 0, width: slice.width.toFixed(2), height,
    })));
}
