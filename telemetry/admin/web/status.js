// The summary, the table of rules, and the health of what scattergate depends on.

import {historyChart} from "./chart.js";
import {quietWords} from "./choose.js";
import {contact, lostContact} from "./contact.js";
import {fact, make, part, refill, timeElement} from "./elements.js";
import {axisOf, markOf, ranges, wholeSeries} from "./history.js";
import {noChunks} from "./shape.js";
import {now, store} from "./store.js";
import {number, percent, plural, rate, span} from "./text.js";

function ruleRow(rule) {
  const hits = Object.entries(rule.hits).map(([name, count]) => `${name.replace(/_/g, " ")} ${number(count)}`).join(", ");
  return make("tr", {},
    make("th", {scope: "row"}, rule.name ?? "(without a name)"),
    make("td", {}, rule.action + (rule.dryRun ? " (dry run)" : "")),
    make("td", {}, hits || "none"),
    make("td", {}, rule.until ?? ""),
    make("td", {}, [rule.why, rule.by].filter(Boolean).join(" – ")),
    make("td", {class: "dim"}, rule.writtenAt ?? ""));
}

export function drawRules() {
  if (!store.rules) return;
  const body = part("rules", "Rules, in order of evaluation");
  const said = JSON.stringify(store.rules);
  if (body.said === said) return;
  body.said = said;
  if (store.rules.length === 0) {
    body.replaceChildren(make("p", {}, "No rules: every scatter_gather on a sharded collection is a finding."));
    return;
  }
  const heads = ["rule", "action", "hits", "until", "why, by", "written at"].map(words => make("th", {scope: "col"}, words));
  body.replaceChildren(make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Rules"},
    make("table", {}, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, store.rules.slice(0, 500).map(ruleRow)))));
}

const signs = {fine: "✓", bad: "✗", unknown: "?"};

function marked(state, words) {
  return make("span", {class: "mark " + state}, `${signs[state]} ${words}`);
}

function upstreamState(each, ...details) {
  const state = each.up === true ? marked("fine", "up") : each.up === false ? marked("bad", "down") : marked("unknown", "unknown");
  return make("div", {}, each.active ? make("b", {}, each.address) : each.address, " ", state, each.active ? " in use" : "", ...details);
}

// A mongos's name, and below it its addresses, unless the name is the only address.
function upstreamFacts(each) {
  const addresses = each.addresses ?? [];
  const isItself = addresses.length === 1 && addresses[0].address === each.address;
  const connected = of => of.connections ? `, ${plural(of.connections, "connection")}` : "";
  if (isItself) return upstreamState(each, connected(addresses[0]));
  const leftOut = each.addressesLeftOut ? [make("div", {}, `${plural(each.addressesLeftOut, "more address", "more addresses")}, not used`)] : [];
  return upstreamState(each, make("div", {class: "addresses"},
    ...addresses.map(one => upstreamState(one, one.draining ? ", draining" : "", connected(one))), ...leftOut));
}

function certificateState(ends) {
  if (!ends) return null;
  const isOver = Date.parse(ends) <= now();
  return make("div", {}, isOver ? marked("bad", `certificate expired on ${ends.slice(0, 10)}`) : marked("fine", `certificate valid until ${ends.slice(0, 10)}`));
}

function listenerFacts(listener) {
  const {state, clientsWaiting: waiting} = listener;
  return fact(`Listener ${listener.address}`,
    state ? make("div", {}, marked(state === "ok" ? "fine" : "bad", state), listener.failovers ? `, ${plural(listener.failovers, "failover")}` : "") : "",
    listener.upstreams.map(upstreamFacts),
    waiting ? make("div", {}, `${plural(waiting, "client")} waiting for a reply, the longest for ${span(listener.longestWaitMillis / 1000)}`) : "",
    certificateState(listener.certificateExpiresAt));
}

function catalogFacts(catalog) {
  const quality = {file: "fine", live: "fine", off: "unknown", loading: "unknown"};
  return fact("Catalog", marked(catalog.stale ? "bad" : quality[catalog.state] ?? "bad", catalog.stale ? "out of date" : catalog.state.replace(/_/g, " ")),
    ` ${catalog.source}, ${plural(catalog.collections, "collection")}, ${plural(catalog.chunks, "chunk")}, rules of MongoDB ${catalog.version}, loaded `,
    timeElement(catalog.loadedAt, now()), catalog.readAt ? [", last read ", timeElement(catalog.readAt, now())] : "",
    catalog.loadFailures ? `, ${plural(catalog.loadFailures, "failed load")}` : "");
}

function auditFacts(audit) {
  const state = audit.failing ? marked("bad", "failing: findings wait in memory") : audit.lost ? marked("bad", `${number(audit.lost)} findings lost`) : marked("fine", "written");
  return fact("Audit log", audit.file === "off" ? "off" : [state, ` ${audit.file}, ${plural(audit.lines, "line")}, ${number(audit.outstanding)} outstanding`],
    audit.writeFailures ? `, ${plural(audit.writeFailures, "failed write")}` : "");
}

function stateFacts(state) {
  const isFailing = state.failing ?? state.writeFailures > 0;
  if (!state.file && !isFailing) return fact("State file", "none: counts start at zero with each process");
  return fact("State file", isFailing ? marked("bad", state.reason ?? "not saved") : marked("fine", "saved"),
    ` ${state.file ?? ""}`, state.writeFailures ? `, ${plural(state.writeFailures, "failed write")}` : "");
}

function fleetFacts(fleet) {
  if (!fleet) return [];
  return fact("Fleet", marked(fleet.stale ? "bad" : fleet.flushedAt ? "fine" : "unknown", fleet.stale ? "out of date" : "written"),
    fleet.flushedAt ? [" last acknowledged ", timeElement(fleet.flushedAt, now())] : " never acknowledged",
    fleet.waitingCommands ? `, ${plural(fleet.waitingCommands, "command")} waiting` : "");
}

function healthFacts(status) {
  const {config} = status;
  return make("dl", {},
    ...status.listeners.flatMap(listenerFacts), ...catalogFacts(status.catalog), ...auditFacts(status.audit),
    ...fact("Configuration", config.lastReloadSuccessful ? marked("fine", "in use") : marked("bad", "last reload failed: the old configuration is in use"),
      ` ${config.file ?? "flags and environment"}, loaded `, timeElement(config.loadedAt, now())),
    ...stateFacts(status.state),
    ...fleetFacts(status.fleet),
    ...fact("Connections", `${plural(status.connections, "client connection")}, ${plural(status.workers, "worker")}`));
}

export function drawHealth() {
  const status = store.status;
  if (!status) return;
  const words = [`Version ${status.version}`, status.ready ? "ready" : "not ready", `up ${span(Math.max(0, (now() - Date.parse(status.startedAt)) / 1000))}`].join(", ");
  const lost = lostContact();
  const live = lost ? "no contact" : contact.mode === "live" ? "live" : "polling every 5 s";
  refill(document.querySelector("#state"), make("p", {}, words + " ", make("span", {class: lost ? "mark bad" : "mark fine"}, live)));
  refill(part("health", "Health"), healthFacts(status));
}

const summaryPart = {section: null, tiles: null, ranges: new Map(), unmark: null, drawn: ""};

function tile(value, words, isBad = false, title = null) {
  return make("div", {class: isBad ? "tile bad" : "tile", title}, make("b", {}, value), " ", words);
}

function buildSummary(change) {
  const group = make("div", {class: "views", role: "group", "aria-label": "Time range of the charts"});
  for (const [name, {words}] of Object.entries(ranges)) {
    const button = make("button", {type: "button"}, words);
    button.addEventListener("click", () => change({range: name}, true));
    summaryPart.ranges.set(name, button);
    group.append(button);
  }
  const mark = make("button", {type: "button", title: "Compares the rates before and after this moment"}, "Mark now");
  mark.addEventListener("click", () => change({mark: new Date(now()).toISOString(), since: "mark"}, true));
  summaryPart.unmark = make("a", {href: "?mark="}, "Remove the mark");
  summaryPart.tiles = make("div", {class: "tiles"});
  summaryPart.section = make("section", {id: "summary", "aria-label": "Summary"}, summaryPart.tiles,
    make("div", {class: "views"}, group, mark, summaryPart.unmark));
  document.querySelector("#findings").before(summaryPart.section);
}

function drawChoices(view) {
  for (const [name, button] of summaryPart.ranges) button.setAttribute("aria-pressed", String(name === view.range));
  summaryPart.unmark.hidden = !view.mark;
}

function wholeChart(view) {
  const axis = axisOf(view.range);
  return make("div", {class: "tile wide"}, historyChart(wholeSeries(axis), axis, 288, 40, markOf(view)),
    make("span", {class: "dim"}, `${axis.words}: commands, findings in red`));
}

function tilesOf(totals, scattering) {
  const minute = totals.lastMinute;
  const perSecond = count => minute.seconds ? rate(count / minute.seconds) : "–";
  const wasted = minute.wastedShardRequests ?? null;
  return [
    tile(number(scattering) + (scattering !== null && store.leftOut ? "+" : ""), `${scattering === 1 ? "finding" : "findings"} seen in the last ${quietWords()}`, scattering > 0),
    tile(perSecond(minute.commands), "commands"),
    tile(percent(minute.findings, minute.commands), "findings, last minute", minute.findings > 0),
    wasted === null ? tile("?", "shard requests wasted", false, noChunks) : tile(perSecond(wasted), "shard requests wasted", wasted > 0),
    tile(percent(totals.findings, totals.commands), "findings, since the start"),
  ];
}

export function drawSummary({scattering}, view, change) {
  if (!store.totals) return;
  if (!summaryPart.section) buildSummary(change);
  drawChoices(view);
  const made = make("div", {}, tilesOf(store.totals, scattering), store.history ? wholeChart(view) : null);
  const key = [made.textContent, store.history?.generatedAt, view.range, view.mark].join(" ");
  if (summaryPart.drawn === key) return;
  summaryPart.drawn = key;
  summaryPart.tiles.replaceChildren(...made.childNodes);
}
