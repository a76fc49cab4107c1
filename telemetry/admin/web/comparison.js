// Rates before and after a mark, over two spans of the history, both as long as the time since the mark.

import {filterOf} from "./filter.js";
import {collectionSeries, latest} from "./history.js";
import {now, store} from "./store.js";
import {number, timeWords} from "./text.js";

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
