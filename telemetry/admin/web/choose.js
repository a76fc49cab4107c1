// Chooses, filters and orders the shapes to show.

import {newSince} from "./history.js";
import {rateOf, store} from "./store.js";
import {durationWords} from "./text.js";

// The texts of a shape that the filter searches, in lower case.
function textsOf(shape) {
  shape.own.texts ??= {
    ns: shape.ns.toLowerCase(),
    command: shape.command.toLowerCase(),
    whole: [shape.routing, shape.reason].filter(Boolean),  // "key" doesn't match "missing_key"
    fields: lowered(shape.fields),
    apps: lowered((shape.callers ?? []).map(each => each.appName)),
    users: lowered((shape.callers ?? []).map(each => each.user)),
    others: lowered([shape.shapeHash, ...(shape.missing ?? []),
      ...(shape.callers ?? []).flatMap(each => [each.remote, each.comment, each.driver])]),
  };
  return shape.own.texts;
}

function lowered(texts) {
  return (texts ?? []).filter(Boolean).map(each => each.toLowerCase());
}

const inAny = (texts, word) => texts.some(each => each.includes(word));

const prefixes = {
  app: (texts, word) => inAny(texts.apps, word),
  field: (texts, word) => texts.fields.some(each => each === word || each.startsWith(word + ".")),
  ns: (texts, word) => texts.ns.includes(word),
  user: (texts, word) => inAny(texts.users, word),
  command: (texts, word) => texts.command === word,
};

function anywhere(texts, word) {
  return texts.ns.includes(word) || texts.command.includes(word) || texts.whole.includes(word.replace(/ /g, "_")) ||
    [texts.fields, texts.apps, texts.users, texts.others].some(each => inAny(each, word));
}

// The words of a filter; quotes keep spaces: app:"Order Service".
function wordsOf(text) {
  return (text.toLowerCase().match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []).map(each => each.replace(/"/g, "")).filter(Boolean);
}

// Whether a shape contains all words. A prefix without a word after it, as while typing, matches everything.
export function filterOf(text) {
  const tests = wordsOf(text).map(each => {
    const colon = each.indexOf(":");
    const prefix = each.slice(0, Math.max(colon, 0));
    if (!Object.hasOwn(prefixes, prefix)) return texts => anywhere(texts, each);
    const word = each.slice(colon + 1);
    return texts => word === "" || prefixes[prefix](texts, word);
  });
  return shape => tests.every(test => test(textsOf(shape)));
}

// A filter that finds a collection's shapes.
export function filterOfCollection(ns) {
  return /[\s"]/.test(ns) ? `ns:"${ns.replace(/"/g, "")}"` : "ns:" + ns;
}

const mostShown = 500;

// The API's kinds that have their own view.
const kinds = ["finding", "resolved", "accepted", "getMore"];

export const views = [
  {name: "now", words: "Now", title: () => `Scattering shapes seen in the last ${quietWords()}`, has: s => s.kind === "finding"},
  {name: "new", words: "New", title: () => "Findings first seen since the chosen time", has: s => s.kind === "finding" && s.own.fresh},
  {name: "back", words: "Back", title: () => "Findings that were resolved and reappeared since the chosen time", has: s => s.kind === "finding" && s.own.back},
  {name: "quiet", words: "Resolved", title: () => `Findings not seen in the last ${quietWords()}`, has: s => s.kind === "resolved"},
  {name: "accepted", words: "Accepted", title: () => "Findings that a rule or a comment accepts", has: s => s.kind === "accepted"},
  {name: "getmore", words: "getMore", title: () => "getMores go to the shards of their cursor, so they aren't findings", has: s => s.kind === "getMore"},
  {name: "other", words: "Other", title: () => "Commands that aren't findings", has: s => !kinds.includes(s.kind)},
];

// The time without a command after which a finding is resolved, in words.
export function quietWords() {
  return durationWords(store.status?.resolvedAfterSeconds ?? 3600);
}

export const byNumber = value => (a, b) => (value(b) ?? -1) - (value(a) ?? -1);
const byTime = value => (a, b) => (value(b) ?? "").localeCompare(value(a) ?? "");
const refusedFirst = byNumber(s => s.refused > 0 ? 1 : 0);
const dearestFirst = byNumber(s => s.wastedShardRequests);

export const orders = {
  worst: {words: "worst first", before: (a, b) => refusedFirst(a, b) || dearestFirst(a, b)},
  rate: {words: "highest rate", before: byNumber(s => rateOf(s))},
  time: {words: "most time", before: byNumber(s => s.durationMillis?.total)},
  slow: {words: "slowest", before: byNumber(s => s.durationMillis?.p95)},
  count: {words: "most commands", before: byNumber(s => s.count)},
  shards: {words: "most shards", before: byNumber(s => s.fanout?.max)},
  errors: {words: "most errors", before: byNumber(s => s.errors)},
  newest: {words: "newest", before: byTime(s => s.firstSeen)},
  name: {words: "by name", before: (a, b) => a.ns.localeCompare(b.ns)},
};

// `fresh` and `back` depend on the time that the reader chose.
export function note(shape, since) {
  shape.own.fresh = Date.parse(shape.firstSeen) >= since;
  shape.own.back = Boolean(shape.regressedAt) && Date.parse(shape.regressedAt) >= since;
}

// {rows: the shapes that match the view and the filter, shown: the first of them, counts: of shapes that match the
// filter, by view, scattering: findings, without the filter; null if the daemon doesn't send each shape's kind}.
export function chosen(view) {
  const since = newSince(view);
  const passes = filterOf(view.q);
  const picked = views.find(each => each.name === view.show);
  const counts = Object.fromEntries(views.map(each => [each.name, 0]));
  const rows = [];
  let scattering = 0;
  for (const shape of store.shapes.values()) {
    note(shape, since);
    if (!shape.kind) scattering = null;
    else if (shape.kind === "finding" && scattering !== null) scattering++;
    if (!passes(shape)) continue;
    for (const each of views) if (each.has(shape)) counts[each.name]++;
    if (picked.has(shape)) rows.push(shape);
  }
  const {before} = orders[view.sort];
  rows.sort((a, b) => before(a, b) || orders.time.before(a, b) || a.shapeHash.localeCompare(b.shapeHash));
  return {rows, shown: rows.slice(0, mostShown), counts, scattering, picked};
}
