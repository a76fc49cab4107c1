// The table of collections: rate, destinations, wasted requests, history.

import {historyChart, shareBar} from "./chart.js";
import {byNumber, filterOfCollection} from "./choose.js";
import {make, paint, paintList, refill, steady} from "./elements.js";
import {axisOf, collectionSeries, markOf, ranges} from "./history.js";
import {grafanaLink, noChunks} from "./shape.js";
import {store} from "./store.js";
import {millis, number, percent, rate} from "./text.js";

// Commands a second in the last minute.
const recentRate = each => each.lastMinute.seconds ? each.lastMinute.commands / each.lastMinute.seconds : null;

export const columns = [
  {name: "ns", words: "collection", sort: (a, b) => a.ns.localeCompare(b.ns)},
  {name: "rate", words: "rate", sort: byNumber(recentRate)},
  {name: "share", words: "where commands go"},
  {name: "findings", words: "findings", sort: byNumber(c => c.findings)},
  {name: "wasted", words: "wasted shard requests", sort: byNumber(c => c.wastedShardRequests)},
  {name: "p95", words: "p95", sort: byNumber(c => c.durationMillis?.p95)},
  {name: "time", words: "time", sort: byNumber(c => c.durationMillis?.total)},
  {name: "apart", words: "accepted, getMore"},
  {name: "day", words: ""},
];

// The store's collections, by the column that the view names.
export function orderedCollections(view) {
  const {sort} = columns.find(column => column.name === view.csort);
  return [...store.collections.values()].sort((a, b) => sort(a, b) || b.commands - a.commands || a.ns.localeCompare(b.ns));
}

const mostCollections = 200;
const collectionsPart = {body: null, heads: new Map(), left: null, day: null};

function buildCollections(change) {
  const head = make("tr", {});
  for (const column of columns) {
    const cell = make("th", {scope: "col", class: ["ns", "share", "day"].includes(column.name) ? null : "n"});
    if (column.sort) {
      const button = make("button", {type: "button"}, column.words);
      button.addEventListener("click", () => change({csort: column.name}, true));
      cell.append(button);
    } else {
      cell.append(column.words);
    }
    collectionsPart.heads.set(column.name, cell);
    head.append(cell);
  }
  collectionsPart.body = make("tbody", {});
  collectionsPart.left = make("p", {class: "dim"});
  document.querySelector("#collections > div").replaceChildren(
    make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Collections"},
      make("table", {}, make("thead", {}, head), collectionsPart.body)),
    collectionsPart.left);
}

const wastedWords = wasted => wasted === null || wasted === undefined ? make("span", {title: noChunks}, "?") : number(wasted);

const adviceLink = ns => make("a", {href: "advice?ns=" + encodeURIComponent(ns)}, "which shard key");

function collectionCells(each, series, view) {
  const link = make("a", {href: "?q=" + encodeURIComponent(filterOfCollection(each.ns)) + "&shape="}, each.ns || "(no collection)");
  const axis = series && axisOf(view.range);
  return [
    make("th", {scope: "row"}, link, each.shardKey ? make("div", {class: "dim"}, JSON.stringify(each.shardKey)) : "",
      each.ns ? make("div", {class: "dim"}, adviceLink(each.ns)) : "",
      each.ns ? make("div", {class: "dim"}, grafanaLink({ns: each.ns}, view)) : ""),
    make("td", {class: "n"}, rate(recentRate(each))),
    make("td", {}, shareBar(each, 160, 14)),
    make("td", {class: each.findings ? "n bad" : "n"}, each.findings ? `${number(each.findings)} (${percent(each.findings, each.commands)})` : "0"),
    make("td", {class: "n"}, wastedWords(each.wastedShardRequests)),
    make("td", {class: "n"}, millis(each.durationMillis?.p95)),
    make("td", {class: "n"}, millis(each.durationMillis?.total)),
    make("td", {class: "n"}, `${number(each.accepted)}, ${number(each.getMore)}`),
    make("td", {}, series ? historyChart(collectionSeries(series, axis.head, axis.count), axis, 144, 28, markOf(view)) : "–"),
  ];
}

function drawCollection(each, old, series, view) {
  const key = JSON.stringify([each.commands, each.findings, each.accepted, each.getMore, each.lastMinute.commands, each.lastMinute.seconds,
    store.history?.generatedAt, view.range, view.mark, store.status?.grafanaLink]);
  if (old?.drawn === key) return old;
  const row = old ?? make("tr", {});
  row.drawn = key;
  row.replaceChildren(...collectionCells(each, series, view));
  return row;
}

export function drawCollections(view, change, mayReorder) {
  if (store.collections.size === 0) return;
  if (!collectionsPart.body) buildCollections(change);
  for (const [name, cell] of collectionsPart.heads) {
    if (name === view.csort) cell.setAttribute("aria-sort", name === "ns" ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
  }
  refill(collectionsPart.heads.get("day"), ranges[view.range].words);
  const all = orderedCollections(view);
  const series = new Map((store.history?.collections ?? []).map(each => [each.ns, each]));
  const left = all.length - mostCollections;
  refill(collectionsPart.left, left > 0 ? `${number(left)} more: /api/v1/collections has them.` : "");
  const keyOf = each => each.ns;
  const shown = steady(collectionsPart.body, all.slice(0, mostCollections), keyOf, mayReorder);
  paint("collections", paintList(collectionsPart.body, shown, keyOf, (each, old) => drawCollection(each, old, series.get(each.ns), view)));
}
