// The times that a view names, and the daemon's history: the part that a chart shows, and sums.

import {now, store} from "./store.js";

export const spans = {"1h": 3600, "24h": 86400, "7d": 7 * 86400};

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

export function isTime(text) {
  return timeForm.test(text) && !Number.isNaN(Date.parse(text));
}

// The time since which a shape is new, in milliseconds.
export function newSince(view) {
  if (spans[view.since]) return now() - spans[view.since] * 1000;
  return Date.parse(view.since === "mark" ? view.mark : view.since);
}

// The mark's time in milliseconds; null if there is none.
export function markOf(view) {
  return view.mark ? Date.parse(view.mark) : null;
}

export const ranges = {
  "1h": {words: "1 h", head: "minutes", count: 60, seconds: 3600},
  "6h": {words: "6 h", head: "tenMinutes", count: 36, seconds: 6 * 3600},
  "24h": {words: "24 h", head: "tenMinutes", count: 144, seconds: 86400},
};

const classes = ["scatter_gather", "multi_shard", "single_shard", "unsharded", "unknown", "not_routed"];
const commandNames = [...classes, "accepted", "getMore"];

// The time axis of a chart: {head, seconds, count, from, end, words}; times in milliseconds.
export function axisOf(range) {
  const {head, count, words} = ranges[range];
  const steps = store.history[head];
  const shown = Math.min(count, steps.count);
  const end = Date.parse(steps.end);
  return {head, seconds: steps.seconds, count: shown, from: end - shown * steps.seconds * 1000, end, words};
}

// The last `count` values, after zeros if there are fewer.
export function latest(values, count) {
  const last = (values ?? []).slice(-count);
  return last.length === count ? last : [...new Array(count - last.length).fill(0), ...last];
}

function summed(series, names, count) {
  const all = new Array(count).fill(0);
  for (const name of names) {
    if (series[name]) latest(series[name], count).forEach((value, at) => { all[at] += value; });
  }
  return all;
}

// {commands, findings} of one collection: `of` is an entry of the history.
export function collectionSeries(of, head, count) {
  return {commands: summed(of[head], commandNames, count), findings: summed(of[head], ["findings"], count)};
}

// The sum over all collections, cached for each answer.
export function wholeSeries(axis) {
  store.history.whole ??= {};
  const key = `${axis.head} ${axis.count}`;
  store.history.whole[key] ??= [...store.history.collections, store.history.others].reduce((all, each) => {
    const one = collectionSeries(each, axis.head, axis.count);
    for (const name of ["commands", "findings"]) one[name].forEach((value, at) => { all[name][at] += value; });
    return all;
  }, {commands: new Array(axis.count).fill(0), findings: new Array(axis.count).fill(0)});
  return store.history.whole[key];
}
