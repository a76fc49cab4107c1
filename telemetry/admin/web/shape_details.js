// A shape in full: what to do about it, who sends it, what it costs, and what one would paste.

function fact(words, ...value) {
  return value.flat(Infinity).some(each => each !== null && each !== "" && each !== undefined)
    ? [make("dt", {}, words), make("dd", {}, ...value)] : [];
}

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
    caller.driver ? make("span", {class: "dim"}, " " + caller.driver) : ""));
}

function costOf(shape) {
  const time = now();
  const took = shape.durationMillis;
  const fan = shape.fanout;
  return make("dl", {},
    ...fact("Sent by", callersOf(shape)),
    ...fact("Commands", plural(shape.count, "command") + (shape.errors ? `, ${plural(shape.errors, "error")}` : ""),
      rateOf(shape) === null ? "" : `, ${rate(rateOf(shape))} now`),
    ...fact("Shards asked", fan ? `${fan.mean} on average, ${fan.max} at most` : "not known",
      shape.wastedShardRequests === null ? "" : `; ${number(shape.wastedShardRequests)} requests beyond one each`),
    ...fact("Time", took ? `median ${millis(took.p50)}, p95 ${millis(took.p95)}, p99 ${millis(took.p99)}, longest ${millis(took.max)}, ${millis(took.total)} in all` : ""),
    ...fact("First seen", timeElement(shape.firstSeen, time), shape.regressedAt ? ["; back again ", timeElement(shape.regressedAt, time)] : ""),
    ...fact("Last seen", timeElement(shape.lastSeen, time)),
    ...fact("What was done", Object.entries(shape.actions ?? {}).map(([name, count]) => `${name.replace(/_/g, " ")} ${number(count)}`).join(", ")),
  );
}

function shapeText(shape) {
  return shape.shape ? JSON.stringify(shape.shape, null, 2) : "";
}

function fixOf(shape) {
  if (shape.kind === "getmore") return "Nothing by itself: a getMore goes to the shards where its cursor was opened. Look at the command that opened it.";
  if (shape.suggestion) return shape.suggestion[0].toUpperCase() + shape.suggestion.slice(1) + ".";
  return shape.kind === "other" ? "Nothing to do: this is no finding." : "";
}

function drawDetails(details, shape) {
  let told = details.querySelector(".told");
  if (!told) {
    const fix = fixOf(shape);
    told = make("div", {class: "told"},
      fix ? make("p", {class: "fix"}, make("b", {}, "Fix: "), fix) : null,
      make("dl", {},
        ...fact("Missing", shape.missing?.length ? make("b", {}, shape.missing.join(", ")) : ""),
        ...fact("Shard key", shape.shardKey ? make("code", {}, JSON.stringify(shape.shardKey)) : ""),
        ...fact("Why", [shape.routing, shape.reason].filter(Boolean).join(", ").replace(/_/g, " ") + (shape.bounds ? `; bounds ${shape.bounds}` : ""))),
      make("div", {class: "cost"}),
      pasted("Shape", shapeText(shape)),
      pasted("How it is planned (mongosh)", shape.explain),
      shape.kind === "finding" || shape.kind === "accepted" ? pasted("The rule that accepts it", shape.acceptRule) : null,
      make("p", {class: "dim"}, "Shape ", make("code", {}, shape.shapeHash),
        shape.queryShapeHash ? [", queryShapeHash ", make("code", {}, shape.queryShapeHash)] : "", ". ",
        make("a", {href: "?shape=" + encodeURIComponent(shape.shapeHash)}, "Link to it")));
    details.append(told);
  }
  const cost = costOf(shape);
  const place = told.querySelector(".cost");
  if (place.textContent !== cost.textContent) place.replaceChildren(cost);
}
