// Which shapes are shown, and in which order.

const mostShown = 500;

const views = [
  {name: "now", words: "Now", title: "Findings that still come", has: s => s.kind === "finding" && !s.quiet},
  {name: "new", words: "New", title: "Seen first since the chosen moment", has: s => s.kind === "finding" && s.fresh},
  {name: "back", words: "Back", title: "Came again after they had been quiet", has: s => s.kind === "finding" && s.back},
  {name: "quiet", words: "Resolved", title: "Findings that have been quiet for a while", has: s => s.kind === "finding" && s.quiet},
  {name: "accepted", words: "Accepted", title: "Scatters that a rule accepts", has: s => s.kind === "accepted"},
  {name: "getmore", words: "getMore", title: "Go on where a cursor was opened, so they aren't findings", has: s => s.kind === "getmore"},
  {name: "other", words: "All else", title: "Commands that are no findings", has: s => s.kind === "other"},
];

const byNumber = value => (a, b) => (value(b) ?? -1) - (value(a) ?? -1);
const byTime = value => (a, b) => (value(b) ?? "").localeCompare(value(a) ?? "");

const orders = {
  worst: {words: "worst first", before: byNumber(s => s.wastedShardRequests)},
  rate: {words: "most often now", before: byNumber(s => rateOf(s))},
  time: {words: "most time", before: byNumber(s => s.durationMillis?.total)},
  slow: {words: "slowest", before: byNumber(s => s.durationMillis?.p95)},
  count: {words: "most commands", before: byNumber(s => s.count)},
  shards: {words: "most shards", before: byNumber(s => s.fanout?.max)},
  errors: {words: "most errors", before: byNumber(s => s.errors)},
  newest: {words: "newest", before: byTime(s => s.firstSeen)},
  name: {words: "by name", before: (a, b) => a.ns.localeCompare(b.ns)},
};

function note(shape, since) {
  shape.kind = kindOf(shape);
  shape.quiet = isQuiet(shape);
  shape.fresh = isNew(shape, since);
  shape.back = isBack(shape, since);
}

function wordsOf(shape) {
  shape.words ??= [shape.ns, shape.command, shape.routing, shape.reason, shape.shapeHash, shape.suggestion,
    ...(shape.missing ?? []), ...(shape.callers ?? []).flatMap(c => [c.appName, c.user, c.remote, c.comment])]
    .filter(Boolean).join(" ").toLowerCase();
  return shape.words;
}

// {shown, counts by view}; `counts` are of what the filter lets through.
function chosen(view) {
  const since = momentOf(view.since, now());
  const wanted = view.q.toLowerCase().split(/\s+/).filter(Boolean);
  const picked = views.find(each => each.name === view.show) ?? views[0];
  const counts = Object.fromEntries(views.map(each => [each.name, 0]));
  const shown = [];
  for (const shape of store.shapes.values()) {
    note(shape, since);
    if (!wanted.every(word => wordsOf(shape).includes(word))) continue;
    for (const each of views) if (each.has(shape)) counts[each.name]++;
    if (picked.has(shape)) shown.push(shape);
  }
  const order = orders[view.sort] ?? orders.worst;
  shown.sort((a, b) => order.before(a, b) || orders.time.before(a, b) || a.shapeHash.localeCompare(b.shapeHash));
  return {shown: shown.slice(0, mostShown), all: shown.length, counts, picked};
}
