// The health of scattergate's dependencies. Problems are marked in words and colour.

import {contact} from "./contact.js";
import {fact, make, part, refill, timeElement} from "./elements.js";
import {lostContact} from "./failures.js";
import {now, store} from "./store.js";
import {number, plural, span} from "./text.js";

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
