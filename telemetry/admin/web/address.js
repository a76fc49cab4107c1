// The view is part of the address, so a link leads to a view. docs/page.md has the parameters.

const spans = {"1h": 3600, "24h": 86400, "7d": 7 * 86400};
const mostLetters = 200;

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

function isTime(text) {
  return timeForm.test(text) && !Number.isNaN(Date.parse(text));
}

function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words[words.length - 1]}`;
}

const oneOf = names => ({has: value => names().includes(value), words: () => listed(names())});
const timeOr = (...names) => ({
  has: value => names.includes(value) || isTime(value),
  words: () => listed([...names, "a time such as 2026-11-23T05:00:00Z"]),
});

// `usual` isn't written into the address; `has` and `words`: the other valid values.
const parameters = {
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

// {view, ignored}: each parameter's value, and what the address has besides, in words.
function readAddress() {
  const view = Object.fromEntries(Object.entries(parameters).map(([name, {usual}]) => [name, usual]));
  const ignored = [];
  for (const [name, text] of new URLSearchParams(location.search)) {
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

// `isStep`: whether "back" in the browser leads to the view before.
function writeAddress(view, isStep) {
  const query = new URLSearchParams();
  for (const [name, {usual}] of Object.entries(parameters)) {
    if (view[name] !== usual) query.set(name, view[name]);
  }
  const text = query.toString();
  const address = location.pathname + (text ? "?" + text : "");
  if (address === location.pathname + location.search) return;
  history[isStep ? "pushState" : "replaceState"](null, "", address);
}

// The time since which a shape is new, in milliseconds.
function newSince(view) {
  if (spans[view.since]) return now() - spans[view.since] * 1000;
  return Date.parse(view.since === "mark" ? view.mark : view.since);
}

// The mark's time in milliseconds; null where there is none.
function markOf(view) {
  return view.mark ? Date.parse(view.mark) : null;
}
