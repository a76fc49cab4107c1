// The list of scattergate's own problems, in the server's order, the gravest first; many of a kind in one line.

import {byKind, conditionKey, kindWords, whereAll} from "./condition_words.js";
import {make, refill, timeElement} from "./elements.js";
import {failureConditions, failures, lostContact} from "./failures.js";
import {headlineNow} from "./headline.js";
import {paint, paintList, steady} from "./paint.js";
import {now, store} from "./store.js";
import {ago, number} from "./text.js";

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
