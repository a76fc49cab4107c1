// A shape in one line, as it is told closed: what it is, what it lacks, who sends it, what it costs.

function tags(shape) {
  const told = [];
  if (shape.kind === "finding" && shape.fresh) told.push(make("span", {class: "tag new"}, "new"));
  if (shape.kind === "finding" && shape.back) told.push(make("span", {class: "tag back"}, "back again"));
  if (shape.kind === "finding" && shape.quiet) told.push(make("span", {class: "tag quiet"}, "resolved"));
  for (const name of Object.keys(shape.actions ?? {})) {
    if (name !== "observed" && name !== "accepted") told.push(make("span", {class: "tag"}, name.replace(/_/g, " ")));
  }
  return told;
}

function callerWords(caller) {
  if (caller.other) return "others";
  return [caller.appName, caller.user, caller.remote].filter(Boolean).join(" ") || "unknown";
}

function firstCaller(shape) {
  const first = shape.callers?.[0];
  if (!first) return "";
  const more = shape.callers.length - 1;
  return "sent by " + callerWords(first) + (first.comment ? ` (${first.comment})` : "") + (more ? ` and ${more} more` : "");
}

function whatOf(shape) {
  return make("span", {class: "what"},
    make("span", {class: "line"}, make("span", {class: "command"}, shape.command), " ", make("b", {}, shape.ns), " ", ...tags(shape)),
    make("span", {class: "line"},
      shape.missing?.length ? make("span", {class: "lacks"}, "lacks " + shape.missing.join(", ")) : (shape.reason ?? shape.routing).replace(/_/g, " "),
      " ", make("span", {class: "dim"}, firstCaller(shape))));
}

// What stands in the line beside the shape itself, as texts: [value, words, datetime].
function figuresOf(shape) {
  return [
    [rate(rateOf(shape)), "now"],
    [number(shape.count), shape.count === 1 ? "command" : "commands"],
    [number(shape.fanout?.max), "shards"],
    [number(shape.wastedShardRequests), "wasted"],
    [millis(shape.durationMillis?.p95), "p95"],
    [ago(shape.lastSeen, now()), "last seen", shape.lastSeen],
  ];
}

function drawLine(summary, shape, figures) {
  const isBad = shape.kind === "finding" && !shape.quiet;
  summary.replaceChildren(whatOf(shape), ...figures.map(([value, words, time]) =>
    make("span", {class: isBad && words === "wasted" ? "num bad" : "num"},
      make("b", {}, time ? make("time", {datetime: time, title: time}, value) : value), " ", words)));
}

function drawShape(shape, old, isOpen) {
  const row = old ?? make("li", {}, make("details", {}, make("summary", {})));
  const details = row.firstElementChild;
  row.shape = shape;
  const figures = figuresOf(shape);
  const said = JSON.stringify([figures, shape.kind, shape.quiet, shape.fresh, shape.back, Object.keys(shape.actions ?? {}), shape.callers?.length]);
  if (said !== row.said) {
    row.said = said;
    drawLine(details.firstElementChild, shape, figures);
  }
  if (details.open !== isOpen) details.open = isOpen;
  if (isOpen) drawDetails(details, shape);
  return row;
}
