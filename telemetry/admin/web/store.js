// What is known of the daemon by now: answers of /api/v1, and what its events have changed since.

const store = {
  shapes: new Map(),  // by shapeKey()
  leftOut: 0,
  collections: new Map(),  // by namespace
  totals: null,
  others: null,
  rules: null,
  history: null,
  status: null,
  clock: 0,  // the daemon's minus ours, milliseconds
  heardAt: 0,  // our time
};

const sampleSeconds = 60;

function now() {
  return Date.now() + store.clock;
}

function shapeKey(shape) {
  return `${shape.shapeHash} ${shape.command} ${shape.ns}`;
}

function heard(generatedAt) {
  store.heardAt = Date.now();
  const time = Date.parse(generatedAt);
  if (!Number.isNaN(time)) store.clock = time - Date.now();
}

// Counts of a minute, for the rate of now.
function sample(shape, count) {
  shape.samples ??= [];
  const at = now();
  shape.samples.push({at, count});
  while (shape.samples.length > 2 && shape.samples[1].at < at - sampleSeconds * 1000) shape.samples.shift();
}

// Commands a second, of the last minute; null where it isn't known yet.
function rateOf(shape) {
  const samples = shape.samples ?? [];
  if (samples.length === 0) return null;
  const first = samples[0];
  const last = samples[samples.length - 1];
  const until = Math.max(last.at, now());
  if (until - first.at < 900) return null;
  return Math.max(0, last.count - first.count) / ((until - first.at) / 1000);
}

function takeShapes(answer) {
  heard(answer.generatedAt);
  const before = store.shapes;
  store.shapes = new Map();
  for (const shape of answer.shapes) {
    const key = shapeKey(shape);
    const old = before.get(key);
    shape.samples = old?.samples;
    sample(shape, shape.count);
    store.shapes.set(key, shape);
  }
  store.leftOut = answer.shapesLeftOut ?? 0;
}

function takeCollections(answer) {
  heard(answer.generatedAt);
  store.collections = new Map(answer.collections.map(each => [each.ns, each]));
  store.totals = answer.totals;
  store.others = answer.others;
}

function takeStatus(status) {
  heard(status.generatedAt);
  store.status = status;
}

// An event of a second: absolute values of what has changed. True where it tells of a shape that
// isn't known yet.
function takeNow(event) {
  heard(event.at);
  if (event.status) store.status = event.status;
  if (event.totals) store.totals = event.totals;
  if (event.others !== undefined) store.others = event.others;
  for (const each of event.collections ?? []) store.collections.set(each.ns, each);
  let isNews = false;
  for (const told of event.shapes ?? []) {
    const shape = store.shapes.get(shapeKey(told));
    if (!shape) {
      isNews = true;
      continue;
    }
    const goesOn = alarms(told) > alarms(shape);
    Object.assign(shape, told);
    if (goesOn) shape.resolved = false;
    sample(shape, shape.count);
  }
  return isNews;
}

// Findings of a shape that no rule has accepted.
function alarms(shape) {
  return Object.entries(shape.actions ?? {}).reduce((sum, [name, count]) => name === "accepted" ? sum : sum + count, 0);
}

// Accepted findings, and getMores, which merely go on where their cursor was opened, are told apart
// from what alarms. What an earlier process counted has no actions: its routing tells.
function kindOf(shape) {
  if (shape.command === "getMore") return "getmore";
  const accepted = shape.actions?.accepted ?? 0;
  if (accepted > 0 && (alarms(shape) === 0 || shape.resolved)) return "accepted";
  const isFinding = alarms(shape) > 0 || (shape.routing === "scatter_gather" && shape.reason !== "by_nature");
  return isFinding ? "finding" : "other";
}

function isQuiet(shape) {
  if (typeof shape.resolved === "boolean") return shape.resolved;
  const quiet = store.status?.resolvedAfterSeconds ?? 3600;
  return Date.parse(shape.lastSeen) < now() - quiet * 1000;
}

function isNew(shape, since) {
  return Date.parse(shape.firstSeen) >= since;
}

function isBack(shape, since) {
  return Boolean(shape.regressedAt) && Date.parse(shape.regressedAt) >= since;
}
