// The summary: rates, findings, the charts' time range and the mark.

import {historyChart} from "./chart.js";
import {quietWords} from "./choose.js";
import {make} from "./elements.js";
import {axisOf, ranges, wholeSeries} from "./history.js";
import {noChunks} from "./shape_words.js";
import {now, store} from "./store.js";
import {number, percent, rate} from "./text.js";
import {markOf} from "./times.js";

const summaryPart = {section: null, tiles: null, ranges: new Map(), unmark: null, drawn: ""};

function tile(value, words, isBad = false, title = null) {
  return make("div", {class: isBad ? "tile bad" : "tile", title}, make("b", {}, value), " ", words);
}

function buildSummary(change) {
  const group = make("div", {class: "views", role: "group", "aria-label": "Time range of the charts"});
  for (const [name, {words}] of Object.entries(ranges)) {
    const button = make("button", {type: "button"}, words);
    button.addEventListener("click", () => change({range: name}, true));
    summaryPart.ranges.set(name, button);
    group.append(button);
  }
  const mark = make("button", {type: "button", title: "Compares the rates before and after this moment"}, "Mark now");
  mark.addEventListener("click", () => change({mark: new Date(now()).toISOString(), since: "mark"}, true));
  summaryPart.unmark = make("a", {href: "?mark="}, "Remove the mark");
  summaryPart.tiles = make("div", {class: "tiles"});
  summaryPart.section = make("section", {id: "summary", "aria-label": "Summary"}, summaryPart.tiles,
    make("div", {class: "views"}, group, mark, summaryPart.unmark));
  document.querySelector("#findings").before(summaryPart.section);
}

function drawChoices(view) {
  for (const [name, button] of summaryPart.ranges) button.setAttribute("aria-pressed", String(name === view.range));
  summaryPart.unmark.hidden = !view.mark;
}

function wholeChart(view) {
  const axis = axisOf(view.range);
  return make("div", {class: "tile wide"}, historyChart(wholeSeries(axis), axis, 288, 40, markOf(view)),
    make("span", {class: "dim"}, `${axis.words}: commands, findings in red`));
}

function tilesOf(totals, scattering) {
  const minute = totals.lastMinute;
  const perSecond = count => minute.seconds ? rate(count / minute.seconds) : "–";
  const wasted = minute.wastedShardRequests ?? null;
  return [
    tile(number(scattering) + (scattering !== null && store.leftOut ? "+" : ""), `${scattering === 1 ? "finding" : "findings"} seen in the last ${quietWords()}`, scattering > 0),
    tile(perSecond(minute.commands), "commands"),
    tile(percent(minute.findings, minute.commands), "findings, last minute", minute.findings > 0),
    wasted === null ? tile("?", "shard requests wasted", false, noChunks) : tile(perSecond(wasted), "shard requests wasted", wasted > 0),
    tile(percent(totals.findings, totals.commands), "findings, since the start"),
  ];
}

export function drawSummary({scattering}, view, change) {
  if (!store.totals) return;
  if (!summaryPart.section) buildSummary(change);
  drawChoices(view);
  const made = make("div", {}, tilesOf(store.totals, scattering), store.history ? wholeChart(view) : null);
  const key = [made.textContent, store.history?.generatedAt, view.range, view.mark].join(" ");
  if (summaryPart.drawn === key) return;
  summaryPart.drawn = key;
  summaryPart.tiles.replaceChildren(...made.childNodes);
}
