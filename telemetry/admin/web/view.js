// The view: what the reader chose to see. It is part of the address, so a link leads to a view; docs/page.md has the
// parameters.

import {orders, views} from "./choose.js";
import {columns} from "./collections.js";
import {isTime, ranges, spans} from "./history.js";

export const mostLetters = 200;

function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words[words.length - 1]}`;
}

const oneOf = names => ({has: value => names().includes(value), words: () => listed(names())});
const timeOr = (...names) => ({
  has: value => names.includes(value) || isTime(value),
  words: () => listed([...names, "a time such as 2026-11-23T05:00:00Z"]),
});

// The view's parameters. `usual` isn't written into the address; `has` and `words`: the other valid values.
export const parameters = {
  q: {usual: "", has: value => value.length <= mostLetters, words: () => `at most ${mostLetters} characters`},
  show: {usual: "now", ...oneOf(() => views.map(each => each.name))},
  sort: {usual: "worst", ...oneOf(() => Object.keys(orders))},
  since: {usual: "1h", ...timeOr(...Object.keys(spans), "mark")},
  range: {usual: "24h", ...oneOf(() => Object.keys(ranges))},
  mark: {usual: "", ...timeOr()},
  shape: {usual: "", has: value => /^([0-9a-f]{16}|none)$/.test(value), words: () => "16 hex digits or none"},
  csort: {usual: "findings", ...oneOf(() => columns.filter(each => each.sort).map(each => each.name))},
  keys: {usual: "on", ...oneOf(() => ["on", "off"])},
};

function ignoredWords(name, value, why) {
  const cut = text => text.length > 40 ? text.slice(0, 40) + "…" : text;
  return `${cut(name)}=${cut(value)} (${why})`;
}

// An unencoded + of a time zone has become a space.
function valueOf(name, text) {
  return name === "mark" || name === "since" ? text.replace(/ (?=\d\d:\d\d$)/, "+") : text;
}

// {view, ignored} of an address's query: each parameter's value, and the ignored parts, in words.
export function readQuery(query) {
  const view = Object.fromEntries(Object.entries(parameters).map(([name, {usual}]) => [name, usual]));
  const ignored = [];
  for (const [name, text] of new URLSearchParams(query)) {
    const known = Object.hasOwn(parameters, name) ? parameters[name] : null;
    const value = valueOf(name, text);
    if (!known) ignored.push(ignoredWords(name, value, "unknown"));
    else if (value === known.usual || known.has(value)) view[name] = value;
    else ignored.push(ignoredWords(name, value, known.words()));
  }
  if (view.since === "mark" && !view.mark) {
    ignored.push(ignoredWords("since", "mark", "there is no mark"));
    view.since = parameters.since.usual;
  }
  return {view, ignored};
}

// The query that readQuery() reads as this view; empty for the default view.
export function queryOf(view) {
  const query = new URLSearchParams();
  for (const [name, {usual}] of Object.entries(parameters)) {
    if (view[name] !== usual) query.set(name, view[name]);
  }
  const text = query.toString();
  return text && "?" + text;
}
