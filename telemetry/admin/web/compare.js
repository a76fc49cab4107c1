// Before and after a mark: rates over two spans of the history, both as long as the time since the mark.

import {filterOf} from "./choose.js";
import {make, paint, paintList, refill, steady} from "./elements.js";
import {collectionSeries, latest, markOf} from "./history.js";
import {filterWords} from "./shape.js";
import {now, store} from "./store.js";
import {number, rate, timeWords} from "./text.js";

const mostCompared = 200;

const mostSteps = 72;  // 12 hours

const leastSeconds = 30;  // the shortest span to compare

// Steps of the history before and after the mark, without the step that contains it; null if there are none.
function spansAround(mark, head) {
  const {seconds, count, end} = store.history[head];
  const millis = seconds * 1000;
  const first = Date.parse(end) - count * millis;
  const before = Math.floor((mark - first) / millis);
  const after = Math.ceil((mark - first) / millis);
  const length = Math.min(before, count - after, mostSteps);
  if (length < 1) return null;
  const timeOf = step => first + step * millis;
  const until = Math.min(timeOf(after + length), Date.parse(store.history.generatedAt));
  const afterSeconds = (until - timeOf(after)) / 1000;
  if (afterSeconds < leastSeconds) return null;
  return {
    head, count, isWhole: count - after === length,
    before: {from: before - length, to: before, seconds: length * seconds, begin: timeOf(before - length), end: timeOf(before)},
    after: {from: after, to: after + length, seconds: afterSeconds, begin: timeOf(after), end: until},
  };
}

// Steps of a minute if the history has them for both spans, otherwise of ten minutes.
export function comparedSpans(mark) {
  const fine = spansAround(mark, "minutes");
  return fine?.isWhole ? fine : spansAround(mark, "tenMinutes") ?? fine;
}

// The rates a second of `values`: [before, after].
function ratesOf(values, spans) {
  return [spans.before, spans.after].map(({from, to, seconds}) => values.slice(from, to).reduce((sum, each) => sum + each, 0) / seconds);
}

export function changeWords([before, after]) {
  if (before === after) return before === 0 ? "–" : "0 %";
  if (before === 0) return "new";
  if (after === 0) return "gone";
  const change = Math.round(100 * (after - before) / before);
  return `${change > 0 ? "+" : ""}${number(change)} %`;
}

const distance = rates => Math.abs(rates[1] - rates[0]);
const isThere = row => row.rates.some(([before, after]) => before > 0 || after > 0);
const byChange = (a, b) => distance(b.rates[b.rates.length - 1]) - distance(a.rates[a.rates.length - 1]) || distance(b.rates[0]) - distance(a.rates[0]);

export function comparedCollections(spans) {
  return store.history.collections.map(each => {
    const {commands, findings} = collectionSeries(each, spans.head, spans.count);
    return {key: each.ns, name: each.ns, rates: [ratesOf(commands, spans), ratesOf(findings, spans)]};
  }).filter(isThere).sort(byChange).slice(0, mostCompared);
}

export function comparedShapes(spans, view) {
  const passes = filterOf(view.q);
  return [...store.shapeSeries].map(([key, of]) => ({key, of, shape: store.shapes.get(key)}))
    .filter(({shape}) => shape ? passes(shape) : !view.q)
    .map(({key, of, shape}) => ({
      key, name: `${of.command} ${of.ns}`, fields: shape?.fields, hash: of.shapeHash,
      rates: [ratesOf(latest(of[spans.head], spans.count), spans)],
    })).filter(isThere).sort(byChange).slice(0, mostCompared);
}

export function spansWords(mark, spans) {
  if (spans) return `Before: ${timeWords(spans.before.begin)} to ${timeWords(spans.before.end)}. After: ${timeWords(spans.after.begin)} to ${timeWords(spans.after.end)}.`;
  if (mark < Date.parse(store.history.tenMinutes.end) - store.history.tenMinutes.count * store.history.tenMinutes.seconds * 1000) return "The history begins after the mark: there is nothing to compare.";
  return mark > now() ? "The mark is in the future." : "The comparison starts within three minutes after the mark.";
}

const comparePart = {section: null, title: null, words: null, place: null, bodies: null, drawn: ""};

function drawCompared(row, old) {
  const made = old ?? make("tr", {});
  const link = row.hash ? make("a", {href: `?shape=${row.hash}`}, row.name) : row.name;
  const filter = row.fields?.length ? make("div", {class: "dim"}, filterWords(row.fields)) : "";
  made.replaceChildren(make("th", {scope: "row"}, link, filter),
    ...row.rates.flatMap(rates => [...rates.map(each => make("td", {class: "n"}, rate(each))), make("td", {class: "n"}, make("b", {}, changeWords(rates)))]));
  return made;
}

function compareTable(words, names) {
  const heads = names.flatMap(name => [`${name} before`, "after", "change"]);
  const body = make("tbody", {});
  const table = make("div", {class: "scroll tall", tabindex: "0", role: "group", "aria-label": `Before and after: ${words}`},
    make("table", {}, make("thead", {}, make("tr", {}, make("th", {scope: "col"}, words), heads.map(head => make("th", {scope: "col", class: "n"}, head)))), body));
  return {table, body};
}

function buildCompare() {
  const collections = compareTable("collections", ["commands", "findings"]);
  const shapes = compareTable("shapes", ["commands"]);
  const place = make("div", {}, collections.table, shapes.table);
  comparePart.words = make("p", {class: "dim"});
  comparePart.title = make("h2", {});
  comparePart.section = make("section", {id: "compare"}, comparePart.title, comparePart.words, place);
  comparePart.place = place;
  comparePart.bodies = {collections: collections.body, shapes: shapes.body};
  document.querySelector("#findings").before(comparePart.section);
}

export function drawCompare(view, mayReorder) {
  const mark = markOf(view);
  if (mark === null || !store.history) {
    comparePart.section?.remove();
    comparePart.section = null;
    comparePart.drawn = "";
    return;
  }
  if (!comparePart.section) buildCompare();
  const key = JSON.stringify([store.history.generatedAt, view.mark, view.q, store.shapes.size]);
  if (comparePart.drawn === key) return;
  comparePart.drawn = key;
  const spans = comparedSpans(mark);
  refill(comparePart.title, `Before and after ${timeWords(mark)}`);
  refill(comparePart.words, spansWords(mark, spans));
  comparePart.place.hidden = !spans;
  const rows = spans ? {collections: comparedCollections(spans), shapes: comparedShapes(spans, view)} : {collections: [], shapes: []};
  for (const [name, body] of Object.entries(comparePart.bodies)) {
    paint(`compare ${name}`, paintList(body, steady(body, rows[name], row => row.key, mayReorder), row => row.key, drawCompared));
  }
}
