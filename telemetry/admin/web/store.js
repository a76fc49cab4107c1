// The state received from the daemon, updated by its events. Each of the API's rows gets a member `own`: the page's
// own data about the shape.

export const store = {
  shapes: new Map(),  // by shapeKey()
  shapeSeries: new Map(),  // by shapeKey(), from the history
  leftOut: 0,
  collections: new Map(),  // by namespace
  totals: null,
  totalsAt: "",  // the time of the event that set them
  rules: null,
  history: null,
  status: null,
  clock: 0,  // the daemon's minus ours, milliseconds
  heardAt: 0,  // our time
};

const sampleSeconds = 60;
const longestAnswer = 10;  // seconds

export function now() {
  return Date.now() + store.clock;
}

export function shapeKey(shape) {
  return `${shape.shapeHash} ${shape.command} ${shape.ns}`;
}

function heard(generatedAt) {
  store.heardAt = Date.now();
  const time = Date.parse(generatedAt);
  if (!Number.isNaN(time)) store.clock = time - Date.now();
}

// Stores the counts of the last minute, for the rate.
function sample(shape) {
  const {samples} = shape.own;
  const at = now();
  samples.push({at, count: shape.count});
  while (samples.length > 2 && samples[1].at < at - sampleSeconds * 1000) samples.shift();
}

// Commands a second in the last minute; null if it isn't known yet.
export function rateOf(shape) {
  const {samples} = shape.own;
  const first = samples[0];
  const last = samples[samples.length - 1];
  const until = Math.max(last.at, now());
  if (until - first.at < 900) return null;
  return Math.max(0, last.count - first.count) / ((until - first.at) / 1000);
}

// Whether `answer` is older than `known`, so that it must be ignored. A clock that was set back doesn't count.
function isOvertaken(answer, known) {
  const age = (Date.parse(known) - Date.parse(answer.generatedAt)) / 1000;
  return age > 0 && age < longestAnswer;
}

// Throws if an answer lacks a part that the page needs; the store is then unchanged.
function mustHave(answer, ...names) {
  const lacks = names.find(name => typeof answer?.[name] !== "object" || answer[name] === null);
  if (lacks) throw new TypeError(`it has no ${lacks}`);
}

export function takeShapes(answer) {
  mustHave(answer, "shapes");
  heard(answer.generatedAt);
  const taken = new Map();
  for (const shape of answer.shapes) {
    const key = shapeKey(shape);
    const {samples = [], changed = null, changedAt = ""} = store.shapes.get(key)?.own ?? {};
    shape.own = {samples, changed, changedAt};
    if (isOvertaken(answer, changedAt)) Object.assign(shape, changed);
    sample(shape);
    taken.set(key, shape);
  }
  store.shapes = taken;
  store.leftOut = answer.shapesLeftOut ?? 0;
}

export function takeCollections(answer) {
  mustHave(answer, "collections", "totals");
  heard(answer.generatedAt);
  store.collections = new Map(answer.collections.map(each => {
    const known = store.collections.get(each.ns);
    return [each.ns, isOvertaken(answer, known?.changedAt) ? known : each];
  }));
  if (!isOvertaken(answer, store.totalsAt)) store.totals = answer.totals;
}

export function takeRules(answer) {
  mustHave(answer, "rules");
  store.rules = answer.rules;
}

export function takeStatus(status) {
  mustHave(status, "listeners", "catalog", "audit", "state", "config");
  heard(status.generatedAt);
  if (!isOvertaken(status, store.status?.generatedAt)) store.status = status;
}

export function takeHistory(answer) {
  mustHave(answer, "minutes", "tenMinutes", "collections", "others");
  store.history = answer;
  store.shapeSeries = new Map((answer.shapes ?? []).map(each => [shapeKey(each), each]));
}

// Applies an event: the new values of everything that changed in the last second. True if it has an unknown shape.
export function takeNow(event) {
  mustHave({event}, "event");
  heard(event.at);
  if (event.status) store.status = event.status;
  if (event.totals) Object.assign(store, {totals: event.totals, totalsAt: event.at});
  for (const each of event.collections ?? []) store.collections.set(each.ns, {...each, changedAt: event.at});
  let isNews = false;
  for (const changed of event.shapes ?? []) {
    const shape = store.shapes.get(shapeKey(changed));
    if (!shape) {
      isNews = true;
      continue;
    }
    Object.assign(shape, changed);
    Object.assign(shape.own, {changed, changedAt: event.at});
    sample(shape);
  }
  return isNews;
}
