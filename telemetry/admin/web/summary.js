// The first thing that is looked at: how much, how much of it is wrong, since when.

function tile(value, words, isBad = false) {
  return make("div", {class: isBad ? "tile bad" : "tile"}, make("b", {}, value), " ", words);
}

function drawSummary(counts) {
  const totals = store.totals;
  if (!totals) return;
  let body = document.querySelector("#summary");
  if (!body) {
    body = make("section", {id: "summary", "aria-label": "Summary"});
    document.querySelector("#findings").before(body);
  }
  const minute = totals.lastMinute;
  const perSecond = count => minute.seconds ? rate(count / minute.seconds) : "–";
  const wanted = make("div", {},
    tile(plural(counts.now, "finding"), "still come", counts.now > 0),
    tile(perSecond(minute.commands), "commands"),
    tile(percent(minute.findings, minute.commands), "findings, last minute", minute.findings > 0),
    tile(perSecond(minute.wastedShardRequests), "shard requests wasted", minute.wastedShardRequests > 0),
    tile(percent(totals.findings, totals.commands), "findings, since the start"),
    store.history ? make("div", {class: "tile wide"}, historyChart(wholeHistory(), store.history.tenMinutes, 288, 40),
      make("span", {class: "dim"}, " 24 h: commands, findings in red")) : null);
  const said = wanted.textContent + store.history?.generatedAt;
  if (body.said === said) return;
  body.said = said;
  body.replaceChildren(...wanted.childNodes);
}
