// A shape in full: the fix, its callers, its cost, and texts to copy.

import {fact, make, refill, timeElement} from "./elements.js";
import {grafanaLink} from "./grafana.js";
import {callerWords, fixOf, noChunks, shapeText} from "./shape_words.js";
import {now, rateOf, store} from "./store.js";
import {millis, number, plainLines, plural, rate} from "./text.js";

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

export function drawDetails(details, shape, view) {
  let body = details.querySelector(".row-details");
  if (!body) {
    const fix = fixOf(shape);
    body = make("div", {class: "row-details"},
      fix ? make("p", {class: "fix"}, make("b", {}, "Fix: "), fix) : null,
      make("dl", {},
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
