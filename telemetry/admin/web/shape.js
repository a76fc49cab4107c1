// A shape: in words and figures, in full (the fix, its callers, its cost, texts to copy), and in one line.

import {sparkline} from "./chart.js";
import {fact, make, refill, timeElement} from "./elements.js";
import {axisOf, latest, markOf, ranges} from "./history.js";
import {now, rateOf, shapeKey, store} from "./store.js";
import {ago, millis, number, plain, plainLines, plural, rate} from "./text.js";

const places = /\{(db|collection|command|shape|from|to)\}/g;

export function grafanaAddress(template, {ns, command = "", shapeHash = ""}, view) {
  const dot = ns.indexOf(".");
  const to = Math.round(now());
  const values = {
    db: dot < 0 ? ns : ns.slice(0, dot), collection: dot < 0 ? "" : ns.slice(dot + 1), command, shape: shapeHash,
    from: to - ranges[view.range].seconds * 1000, to,
  };
  return template.replace(places, (_, name) => encodeURIComponent(values[name]));
}

function isWebAddress(text) {
  try {
    return ["http:", "https:"].includes(new URL(text, location.href).protocol);
  } catch {
    return false;
  }
}

// A link for a collection or a shape, over the chosen range up to the time of the click; nothing without a
// template.
export function grafanaLink(of, view) {
  const template = store.status?.grafanaLink;
  if (!template || !isWebAddress(grafanaAddress(template, of, view))) return null;
  const link = make("a", {target: "_blank", rel: "noopener", "aria-label": `Grafana: ${[of.command, of.ns].filter(Boolean).join(" ")}`}, "Grafana");
  const aim = () => { link.href = grafanaAddress(template, of, view); };
  for (const event of ["pointerdown", "focus", "click"]) link.addEventListener(event, aim);
  aim();
  return link;
}

export function callerWords(caller) {
  if (caller.other) return "others";
  return [caller.appName, caller.user, caller.remote].filter(Boolean).join(" ") || "unknown";
}

export function firstCaller(shape) {
  const first = shape.callers?.[0];
  if (!first) return "";
  const more = shape.callers.length - 1;
  return "sent by " + callerWords(first) + (first.comment ? ` (${first.comment})` : "") + (more ? ` and ${more} more` : "");
}

// "filter: actor_id, status, 3 more"
export function filterWords(fields) {
  const few = fields.slice(0, 4).map(name => name.length > 32 ? name.slice(0, 31) + "…" : name);
  return `filter: ${few.join(", ")}${fields.length > few.length ? `, ${fields.length - few.length} more` : ""}`;
}

// The row's figures, as texts: [value, words, title, datetime]. All rows have all of them, in fixed columns.
export function figuresOf(shape) {
  const wasted = shape.wastedShardRequests ?? null;
  return [
    [rate(rateOf(shape)), "now"],
    [number(shape.count), shape.count === 1 ? "command" : "commands"],
    [number(shape.fanout?.max), "shards", shape.fanout ? null : noChunks],
    [number(wasted), "wasted", wasted === null ? noChunks : null],
    [millis(shape.durationMillis?.p95), "p95"],
    [ago(shape.lastSeen, now()), "last seen", null, shape.lastSeen],
  ];
}

function shapeText(shape) {
  return shape.shape ? JSON.stringify(shape.shape, null, 2) : "";
}

export function fixOf(shape) {
  if (shape.kind === "getMore") return "None here: a getMore goes to the shards of its cursor. Fix the command that opened the cursor.";
  if (shape.suggestion) return shape.suggestion[0].toUpperCase() + shape.suggestion.slice(1) + ".";
  return shape.kind === "other" ? "None needed: this isn't a finding." : "";
}

export const noChunks = "no chunks known";

async function copy(text, from, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // not over plain HTTP from another machine
    const range = document.createRange();
    range.selectNodeContents(from);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  said.textContent = "copied";
  setTimeout(() => { said.textContent = ""; }, 2000);
}

function pasted(words, text) {
  if (!text) return null;
  const code = make("pre", {tabindex: "0"}, make("code", {}));
  code.firstElementChild.textContent = plainLines(text);
  const said = make("span", {class: "dim", role: "status"});
  const button = make("button", {type: "button", "aria-label": "Copy: " + words}, "Copy");
  button.addEventListener("click", () => copy(text, code, said));
  return make("section", {class: "paste"}, make("h3", {}, words), button, " ", said, code);
}

function callersOf(shape) {
  return (shape.callers ?? []).map(caller => make("div", {},
    make("b", {}, number(caller.count)), " × ", callerWords(caller),
    caller.comment ? make("code", {}, caller.comment) : "",
    caller.test ? make("span", {}, " during test " + caller.test) : "",
    caller.driver ? make("span", {class: "dim"}, " " + caller.driver) : ""));
}

function costOf(shape) {
  const time = now();
  const took = shape.durationMillis;
  const fan = shape.fanout;
  return make("dl", {},
    ...fact("Sent by", callersOf(shape)),
    ...fact("Commands", plural(shape.count, "command") + (shape.errors ? `, ${plural(shape.errors, "error")}` : ""),
      rateOf(shape) === null ? "" : `, ${rate(rateOf(shape))} now`,
      shape.refused ? `, ${number(shape.refused)} rejected or throttled` : ""),
    ...fact("Shards", fan ? `${fan.mean} per command on average, ${fan.max} at most` : `? (${noChunks})`,
      shape.wastedShardRequests === null ? "" : `; ${number(shape.wastedShardRequests)} wasted requests`),
    ...fact("Time", took ? `median ${millis(took.p50)}, p95 ${millis(took.p95)}, p99 ${millis(took.p99)}, longest ${millis(took.max)}, ${millis(took.total)} in all` : ""),
    ...fact("First seen", timeElement(shape.firstSeen, time), shape.regressedAt ? ["; back again ", timeElement(shape.regressedAt, time)] : ""),
    ...fact("Last seen", timeElement(shape.lastSeen, time)),
    ...fact("Actions", Object.entries(shape.actions ?? {}).map(([name, count]) => `${name.replace(/_/g, " ")} ${number(count)}`).join(", ")),
  );
}

function drawDetails(details, shape, view) {
  let body = details.querySelector(".row-details");
  if (!body) {
    const fix = fixOf(shape);
    body = make("div", {class: "row-details"},
      fix ? make("p", {class: "fix"}, make("b", {}, "Fix: "), fix) : null,
      make("dl", {},
        ...fact("Statement", shape.statement === undefined ? "" : `index ${shape.statement} of the batch`),
        ...fact("Missing", shape.missing?.length ? make("b", {}, shape.missing.join(", ")) : ""),
        ...fact("Shard key", shape.shardKey ? make("code", {}, JSON.stringify(shape.shardKey)) : ""),
        ...fact("Filter", shape.fields?.join(", ") ?? ""),
        ...fact("Reason", [shape.routing, shape.reason].filter(Boolean).join(", ").replace(/_/g, " ") + (shape.bounds ? `; bounds ${shape.bounds}` : ""))),
      make("div", {class: "cost"}),
      pasted("Shape", shapeText(shape)),
      pasted("Explain command (mongosh)", shape.explain),
      shape.kind === "finding" || shape.kind === "accepted" ? pasted("Accept rule", shape.acceptRule) : null,
      make("p", {class: "dim"}, "Shape ", make("code", {}, shape.shapeHash),
        shape.queryShapeHash ? [", queryShapeHash ", make("code", {}, shape.queryShapeHash)] : "", ". ",
        make("a", {href: "?shape=" + encodeURIComponent(shape.shapeHash)}, "Link to this shape"), make("span", {class: "links"})));
    details.append(body);
  }
  refill(body.querySelector(".cost"), costOf(shape));
  const key = `${store.status?.grafanaLink} ${view.range}`;
  const links = body.querySelector(".links");
  if (links.key === key) return;
  links.key = key;
  const link = grafanaLink(shape, view);
  links.replaceChildren(...link ? [", ", link] : []);
}

const refusals = ["rejected", "throttled"];

function tagsOf(shape) {
  const isFinding = shape.kind === "finding";
  const made = [];
  const add = (words, kind = "") => made.push(make("span", {class: `tag ${kind}`.trim()}, words));
  const actions = Object.keys(shape.actions ?? {});
  for (const name of refusals) if (actions.includes(name)) add(name, "refused");
  if (isFinding && shape.own.fresh) add("new", "new");
  if (isFinding && shape.own.back) add("back again", "back");
  if (shape.kind === "resolved") add("resolved", "quiet");
  for (const name of actions) if (!["observed", "accepted", ...refusals].includes(name)) add(name.replace(/_/g, " "));
  return made;
}

function whatOf(shape) {
  const lacks = shape.missing?.length
    ? make("span", {class: "lacks"}, "lacks " + shape.missing.join(", ")) : make("span", {}, (shape.reason ?? shape.routing).replace(/_/g, " "));
  const filter = shape.fields?.length ? make("span", {class: "filter", title: plain(shape.fields.join(", "))}, filterWords(shape.fields)) : null;
  return make("span", {class: "what"},
    make("span", {class: "line"}, make("span", {class: "command"}, shape.command), " ", make("b", {}, shape.ns), " ", tagsOf(shape)),
    make("span", {class: "line more"}, lacks, " ", filter, " ", make("span", {class: "dim"}, firstCaller(shape))));
}

// Computed once for each answer with the history.
function sparkOf(row, shape, view) {
  const series = store.shapeSeries.get(shapeKey(shape));
  const key = series ? `${store.history.generatedAt} ${view.range} ${view.mark}` : "";
  if (row.spark?.key !== key) {
    const axis = series && axisOf(view.range);
    const chart = series && sparkline(latest(series[axis.head], axis.count), axis, 96, 28, markOf(view));
    row.spark = {key, place: make("span", {class: "spark"}, chart)};
  }
  return row.spark;
}

function drawLine(summary, shape, figures, spark) {
  const isBad = shape.kind === "finding" && shape.wastedShardRequests > 0;
  summary.replaceChildren(whatOf(shape), spark.place, ...figures.map(([value, words, title, time]) =>
    make("span", {class: isBad && words === "wasted" ? "num bad" : "num", title},
      make("b", {}, time ? make("time", {datetime: time, title: time}, value) : value), " ", words)));
}

export function drawShape(shape, old, isOpen, view) {
  const row = old ?? make("li", {}, make("details", {}, make("summary", {})));
  const details = row.firstElementChild;
  row.shape = shape;
  const figures = figuresOf(shape);
  const spark = sparkOf(row, shape, view);
  const {kind, actions, own, callers} = shape;
  const key = JSON.stringify([figures, kind, own.fresh, own.back, Object.keys(actions ?? {}), callers?.length, spark.key]);
  if (key !== row.drawn) {
    row.drawn = key;
    drawLine(details.firstElementChild, shape, figures, spark);
  }
  if (details.open !== isOpen) details.open = isOpen;
  if (isOpen) drawDetails(details, shape, view);
  return row;
}
