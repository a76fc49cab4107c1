// A shape in one line: command, missing fields, filter, callers, cost.

import {sparkline} from "./chart.js";
import {make} from "./elements.js";
import {axisOf, latest} from "./history.js";
import {drawDetails} from "./shape_details.js";
import {figuresOf, filterWords, firstCaller} from "./shape_words.js";
import {shapeKey, store} from "./store.js";
import {plain} from "./text.js";
import {markOf} from "./times.js";

const refusals = ["rejected", "throttled"];

function tagsOf(shape) {
  const isFinding = shape.kind === "finding";
  const made = [];
  const add = (words, kind = "") => made.push(make("span", {class: `tag ${kind}`.trim()}, words));
  const actions = Object.keys(shape.actions ?? {});
  for (const name of refusals) if (actions.includes(name)) add(name, "refused");
  if (isFinding && shape.own.fresh) add("new", "new");
  if (isFinding && shape.own.back) add("back again", "back");
  if (shape.kind === "resolved") add("resolved", "quiet");
  for (const name of actions) if (!["observed", "accepted", ...refusals].includes(name)) add(name.replace(/_/g, " "));
  return made;
}

function whatOf(shape) {
  const lacks = shape.missing?.length
    ? make("span", {class: "lacks"}, "lacks " + shape.missing.join(", ")) : make("span", {}, (shape.reason ?? shape.routing).replace(/_/g, " "));
  const filter = shape.fields?.length ? make("span", {class: "filter", title: plain(shape.fields.join(", "))}, filterWords(shape.fields)) : null;
  return make("span", {class: "what"},
    make("span", {class: "line"}, make("span", {class: "command"}, shape.command), " ", make("b", {}, shape.ns), " ", tagsOf(shape)),
    make("span", {class: "line more"}, lacks, " ", filter, " ", make("span", {class: "dim"}, firstCaller(shape))));
}

// Computed once for each answer with the history.
function sparkOf(row, shape, view) {
  const series = store.shapeSeries.get(shapeKey(shape));
  const key = series ? `${store.history.generatedAt} ${view.range} ${view.mark}` : "";
  if (row.spark?.key !== key) {
    const axis = series && axisOf(view.range);
    const chart = series && sparkline(latest(series[axis.head], axis.count), axis, 96, 28, markOf(view));
    row.spark = {key, place: make("span", {class: "spark"}, chart)};
  }
  return row.spark;
}

function drawLine(summary, shape, figures, spark) {
  const isBad = shape.kind === "finding" && shape.wastedShardRequests > 0;
  summary.replaceChildren(whatOf(shape), spark.place, ...figures.map(([value, words, title, time]) =>
    make("span", {class: isBad && words === "wasted" ? "num bad" : "num", title},
      make("b", {}, time ? make("time", {datetime: time, title: time}, value) : value), " ", words)));
}

export function drawShape(shape, old, isOpen, view) {
  const row = old ?? make("li", {}, make("details", {}, make("summary", {})));
  const details = row.firstElementChild;
  row.shape = shape;
  const figures = figuresOf(shape);
  const spark = sparkOf(row, shape, view);
  const {kind, actions, own, callers} = shape;
  const key = JSON.stringify([figures, kind, own.fresh, own.back, Object.keys(actions ?? {}), callers?.length, spark.key]);
  if (key !== row.drawn) {
    row.drawn = key;
    drawLine(details.firstElementChild, shape, figures, spark);
  }
  if (details.open !== isOpen) details.open = isOpen;
  if (isOpen) drawDetails(details, shape, view);
  return row;
}
