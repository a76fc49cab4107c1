// Before and after a mark: rates over two spans of the history, both as long as the time since the mark.

import {changeWords, comparedCollections, comparedShapes, comparedSpans, spansWords} from "./comparison.js";
import {make, refill} from "./elements.js";
import {paint, paintList, steady} from "./paint.js";
import {filterWords} from "./shape_words.js";
import {store} from "./store.js";
import {rate, timeWords} from "./text.js";
import {markOf} from "./times.js";

const comparePart = {section: null, title: null, words: null, place: null, bodies: null, drawn: ""};

function drawCompared(row, old) {
  const made = old ?? make("tr", {});
  const link = row.hash ? make("a", {href: `?shape=${row.hash}`}, row.name) : row.name;
  const filter = row.fields?.length ? make("div", {class: "dim"}, filterWords(row.fields)) : "";
  made.replaceChildren(make("th", {scope: "row"}, link, filter),
    ...row.rates.flatMap(rates => [...rates.map(each => make("td", {class: "n"}, rate(each))), make("td", {class: "n"}, make("b", {}, changeWords(rates)))]));
  return made;
}

function compareTable(words, names) {
  const heads = names.flatMap(name => [`${name} before`, "after", "change"]);
  const body = make("tbody", {});
  const table = make("div", {class: "scroll tall", tabindex: "0", role: "group", "aria-label": `Before and after: ${words}`},
    make("table", {}, make("thead", {}, make("tr", {}, make("th", {scope: "col"}, words), heads.map(head => make("th", {scope: "col", class: "n"}, head)))), body));
  return {table, body};
}

function buildCompare() {
  const collections = compareTable("collections", ["commands", "findings"]);
  const shapes = compareTable("shapes", ["commands"]);
  const place = make("div", {}, collections.table, shapes.table);
  comparePart.words = make("p", {class: "dim"});
  comparePart.title = make("h2", {});
  comparePart.section = make("section", {id: "compare"}, comparePart.title, comparePart.words, place);
  comparePart.place = place;
  comparePart.bodies = {collections: collections.body, shapes: shapes.body};
  document.querySelector("#findings").before(comparePart.section);
}

export function drawCompare(view, mayReorder) {
  const mark = markOf(view);
  if (mark === null || !store.history) {
    comparePart.section?.remove();
    comparePart.section = null;
    comparePart.drawn = "";
    return;
  }
  if (!comparePart.section) buildCompare();
  const key = JSON.stringify([store.history.generatedAt, view.mark, view.q, store.shapes.size]);
  if (comparePart.drawn === key) return;
  comparePart.drawn = key;
  const spans = comparedSpans(mark);
  refill(comparePart.title, `Before and after ${timeWords(mark)}`);
  refill(comparePart.words, spansWords(mark, spans));
  comparePart.place.hidden = !spans;
  const rows = spans ? {collections: comparedCollections(spans), shapes: comparedShapes(spans, view)} : {collections: [], shapes: []};
  for (const [name, body] of Object.entries(comparePart.bodies)) {
    paint(`compare ${name}`, paintList(body, steady(body, rows[name], row => row.key, mayReorder), row => row.key, drawCompared));
  }
}
