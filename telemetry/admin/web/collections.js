// The collections: how much, where it goes, what it wastes, and the last 24 hours.

const mostCollections = 200;
const collectionsPart = {body: null, heads: new Map(), said: null};

const perMinute = each => each.lastMinute.seconds ? each.lastMinute.commands / each.lastMinute.seconds : null;

const columns = [
  {name: "ns", words: "collection", sort: (a, b) => a.ns.localeCompare(b.ns)},
  {name: "rate", words: "rate", sort: byNumber(perMinute)},
  {name: "share", words: "where commands go"},
  {name: "findings", words: "findings", sort: byNumber(c => c.findings)},
  {name: "wasted", words: "wasted shard requests", sort: byNumber(c => c.wastedShardRequests)},
  {name: "p95", words: "p95", sort: byNumber(c => c.durationMillis?.p95)},
  {name: "time", words: "time", sort: byNumber(c => c.durationMillis?.total)},
  {name: "apart", words: "accepted, getMore"},
  {name: "day", words: "24 h"},
];

function buildCollections(view, change) {
  const head = make("tr", {});
  for (const column of columns) {
    const cell = make("th", {scope: "col", class: ["ns", "share", "day"].includes(column.name) ? null : "n"});
    if (column.sort) {
      const button = make("button", {type: "button"}, column.words);
      button.addEventListener("click", () => change({csort: column.name}, true));
      cell.append(button);
    } else {
      cell.append(column.words);
    }
    collectionsPart.heads.set(column.name, cell);
    head.append(cell);
  }
  collectionsPart.body = make("tbody", {});
  collectionsPart.said = make("p", {class: "dim"});
  document.querySelector("#collections > div").replaceChildren(
    make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Collections"},
      make("table", {}, make("thead", {}, head), collectionsPart.body)),
    collectionsPart.said);
}

function collectionCells(each, series) {
  const link = make("a", {href: "?q=" + encodeURIComponent(each.ns)}, each.ns || "(no collection)");
  return [
    make("th", {scope: "row"}, link, each.shardKey ? make("div", {class: "dim"}, JSON.stringify(each.shardKey)) : ""),
    make("td", {class: "n"}, rate(perMinute(each))),
    make("td", {}, shareBar(each, 160, 14)),
    make("td", {class: each.findings ? "n bad" : "n"}, each.findings ? `${number(each.findings)} (${percent(each.findings, each.commands)})` : "0"),
    make("td", {class: "n"}, number(each.wastedShardRequests)),
    make("td", {class: "n"}, millis(each.durationMillis?.p95)),
    make("td", {class: "n"}, millis(each.durationMillis?.total)),
    make("td", {class: "n"}, `${number(each.accepted)}, ${number(each.getMore)}`),
    make("td", {}, series ? historyChart(series.tenMinutes, store.history.tenMinutes, 144, 28) : "–"),
  ];
}

function drawCollection(each, old, series) {
  const said = JSON.stringify([each.commands, each.findings, each.accepted, each.getMore, each.lastMinute.commands, each.lastMinute.seconds, store.history?.generatedAt]);
  if (old?.said === said) return old;
  const row = old ?? make("tr", {});
  row.said = said;
  row.replaceChildren(...collectionCells(each, series));
  return row;
}

function drawCollections(view, change) {
  if (store.collections.size === 0) return;
  if (!collectionsPart.body) buildCollections(view, change);
  const sorted = columns.find(column => column.name === view.csort && column.sort) ?? columns[3];
  for (const [name, cell] of collectionsPart.heads) {
    if (name === sorted.name) cell.setAttribute("aria-sort", name === "ns" ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
  }
  const all = [...store.collections.values()];
  all.sort((a, b) => sorted.sort(a, b) || b.commands - a.commands || a.ns.localeCompare(b.ns));
  const series = new Map((store.history?.collections ?? []).map(each => [each.ns, each]));
  const left = all.length - mostCollections;
  collectionsPart.said.textContent = left > 0 ? `And ${number(left)} more: /api/v1/collections has them.` : "";
  paint("collections", paintList(collectionsPart.body, all.slice(0, mostCollections), each => each.ns, (each, old) => drawCollection(each, old, series.get(each.ns))));
}

// All collections' history as one.
function wholeHistory() {
  const all = {};
  for (const each of [...store.history.collections, store.history.others]) {
    for (const [name, values] of Object.entries(each.tenMinutes)) {
      all[name] ??= new Array(store.history.tenMinutes.count).fill(0);
      values.forEach((value, at) => { all[name][at] += value; });
    }
  }
  return all;
}
