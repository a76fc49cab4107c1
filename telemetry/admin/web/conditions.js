// The headline, and the list of scattergate's own problems: in the server's order, the gravest first; many of a kind in one
// line.

import {failureConditions, failures, lostContact} from "./contact.js";
import {make, paint, paintList, refill, steady, timeElement} from "./elements.js";
import {now, store} from "./store.js";
import {ago, number, plain, plural} from "./text.js";

const fewOfAKind = 3;

export const kindWords = each => each.message ?? each.kind.replace(/_/g, " ");

export const conditionKey = each => [each.kind, each.listener, each.subject, each.since, each.active].join(" ");

// " at listener 127.0.0.1:27117"
export function whereAll(members) {
  const listeners = [...new Set(members.map(each => each.listener).filter(Boolean))];
  return listeners.length === 0 ? "" : listeners.length === 1 ? ` at listener ${listeners[0]}` : ` at ${plural(listeners.length, "listener")}`;
}

// Conditions; if there are more than a few of a kind, {members} replaces the first and the others are omitted.
export function byKind(active) {
  const kinds = new Map();
  for (const each of active) kinds.set(each.kind, [...kinds.get(each.kind) ?? [], each]);
  const items = [];
  for (const each of active) {
    const members = kinds.get(each.kind);
    if (members.length <= fewOfAKind) items.push(each);
    else if (each === members[0]) items.push({kind: each.kind, members});
  }
  return items;
}

const levels = ["ok", "warning", "scattering", "degraded", "down"];
const plainTitle = "scattergate: what is wrong right now";

function headlineNow() {
  const lost = lostContact();
  return lost ? {level: "down", text: lost} : store.status?.headline ?? null;
}

// A line at the top; `put` inserts it if the server hasn't rendered it.
function topLine(id, put) {
  let made = document.getElementById(id);
  if (!made) {
    made = make("p", {id});
    put(made);
  }
  return made;
}

export function drawHeadline(ignored) {
  const headline = topLine("headline", made => document.querySelector("header").prepend(made));
  const shown = headlineNow();
  headline.hidden = !shown;
  if (shown) {
    headline.className = levels.includes(shown.level) ? shown.level : "degraded";
    refill(headline, shown.text);
  }
  document.querySelector("main").classList.toggle("stale", Boolean(lostContact()));
  document.title = shown ? `${plain(shown.text)} - scattergate` : plainTitle;
  const line = topLine("ignored", made => headline.after(made));
  line.hidden = ignored.length === 0;
  refill(line, ignored.length ? `Ignored: ${ignored.join(", ")}` : "");
}

const wrongPart = {list: null, fine: null, over: null};

function buildWrong() {
  wrongPart.list = make("ul", {class: "conditions"});
  wrongPart.fine = make("p", {class: "fine"}, "Nothing is wrong with scattergate itself.");
  wrongPart.over = make("details", {}, make("summary", {}), make("ul", {class: "conditions"}));
  document.querySelector("#wrong > div").replaceChildren(wrongPart.list, wrongPart.fine, wrongPart.over);
}

function whatIsWrong(each) {
  return [make("b", {}, each.active ? each.severity : "resolved"), " ", kindWords(each),
    each.subject ? [": ", make("code", {}, each.subject)] : "", each.detail ? " – " + each.detail : ""];
}

function whereAndWhen(each) {
  const time = now();
  return [each.listener ? `listener ${each.listener}; ` : "", "since ", timeElement(each.since, time),
    each.count > 1 ? [`, ${number(each.count)} times, last `, timeElement(each.last, time)] : "", `${each.id ? `; log id ${each.id}` : ""}`];
}

function adviceFor(each) {
  return [each.whatToDo ? each.whatToDo + " " : "",
    each.runbook ? make("a", {href: each.runbook, target: "_blank", rel: "noopener", "aria-label": `runbook: ${kindWords(each)}`}, "runbook") : ""];
}

function drawCondition(each, old, isMember = false) {
  const row = old ?? make("li", {}, make("div", {}), make("div", {class: "dim"}), make("div", {}));
  row.className = each.active ? `condition ${each.severity}` : "condition over";
  const [what, when, advice] = row.children;
  refill(what, whatIsWrong(each));
  refill(when, each.since ? whereAndWhen(each) : "");
  refill(advice, isMember ? "" : adviceFor(each));
  return row;
}

function fillConditions(list, items, isMember) {
  const kept = steady(list, items, conditionKey, false);
  const steps = paintList(list, kept, conditionKey, (each, old) => drawCondition(each, old, isMember));
  while (!steps.next().done);
}

function drawGroup({members}, old) {
  const row = old ?? make("li", {}, make("details", {}, make("summary", {}), make("div", {}), make("ul", {class: "conditions"})));
  const newest = members.reduce((late, each) => each.last > late.last ? each : late);
  row.className = `condition ${newest.severity}`;
  const [line, advice, list] = row.firstElementChild.children;
  refill(line, make("b", {}, newest.severity), ` ${kindWords(newest)}: ${number(members.length)} active${whereAll(members)}, the newest `,
    make("code", {}, newest.subject), newest.detail ? ` – ${newest.detail}, ` : ", ", timeElement(newest.last, now()));
  refill(advice, adviceFor(newest));
  fillConditions(list, members, true);
  return row;
}

// Problems that the page itself detects.
function pageConditions() {
  const found = [];
  const add = (kind, message, detail) => found.push({active: true, severity: "error", kind, subject: "", message, detail});
  const lost = lostContact();
  if (lost) add("contact", lost, `the data below is from ${store.heardAt ? ago(new Date(store.heardAt).toISOString(), Date.now()) : "when the page was loaded"}`);
  else if (store.status && !store.status.ready) add("not_ready", "Not ready", store.status.reason);
  return [...found, ...failureConditions(store.clock)];
}

export function drawWrong() {
  if (!store.status && failures.size === 0) return;
  if (!wrongPart.list) buildWrong();
  const all = store.status?.conditions ?? [];
  const items = byKind([...pageConditions(), ...all.filter(each => each.active)]);
  const keyOf = item => item.members ? `group ${item.kind}` : conditionKey(item);
  const kept = steady(wrongPart.list, items, keyOf, false);
  paint("conditions", paintList(wrongPart.list, kept, keyOf, (item, old) => item.members ? drawGroup(item, old) : drawCondition(item, old)));
  wrongPart.list.hidden = items.length === 0;
  wrongPart.fine.hidden = items.length > 0 || ["degraded", "down"].includes(headlineNow()?.level);
  const resolved = all.filter(each => !each.active);
  wrongPart.over.hidden = resolved.length === 0;
  refill(wrongPart.over.firstElementChild, `${number(resolved.length)} resolved in the last hour`);
  fillConditions(wrongPart.over.lastElementChild, resolved, false);
}
