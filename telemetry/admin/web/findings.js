// The list of shapes.

import {chosen, note, orders, views} from "./choose.js";
import {make, refill} from "./elements.js";
import {paint, paintList, steady} from "./paint.js";
import {drawShape} from "./shape_row.js";
import {shapeKey, store} from "./store.js";
import {number} from "./text.js";
import {newSince} from "./times.js";
import {buildTools, drawTools} from "./tools.js";

export const shapesPart = {list: null, words: null, open: "", linked: "", scrollTo: ""};

export function buildFindings(view, change) {
  const body = document.querySelector("#findings > div");
  const list = make("ol", {class: "list"});
  shapesPart.list = list;
  shapesPart.words = make("p", {class: "dim", role: "status"});
  // Record the state before the browser toggles it, so that a repaint doesn't undo the toggle.
  list.addEventListener("click", event => {
    const clicked = event.target.closest("summary")?.parentElement;
    if (!clicked) return;
    shapesPart.open = clicked.open ? "none" : clicked.parentElement.shape.shapeHash;
    for (const each of list.querySelectorAll("details[open]")) if (each !== clicked) each.open = false;
    change({shape: shapesPart.open}, true);
  });
  list.addEventListener("toggle", event => {
    const hash = event.target.closest("li").shape.shapeHash;
    const isOurs = event.target.open === (hash === shapesPart.open);  // otherwise the browser's search opened it
    if (!isOurs) change({shape: event.target.open ? hash : "none"}, true);
  }, true);
  body.replaceChildren(buildTools(view, change), shapesPart.words, list);
}

// The text for an empty list. Without a catalog no command is a finding.
function noFindingsWords() {
  const state = store.status?.catalog.state;
  const isKnown = !state || state === "file" || state === "live";
  return isKnown ? "No findings." : `No findings, but the catalog isn't complete (${state.replace(/_/g, " ")}): scattergate may miss some.`;
}

function listWords({rows, shown, scattering, picked}, view) {
  if (scattering === null) return "The daemon's version differs from that of this page: reload the page.";
  if (rows.length === 0) {
    if (view.q) return `No shape in this view matches “${view.q}”.`;
    return view.show === "now" ? noFindingsWords() : "None.";
  }
  const cut = rows.length > shown.length ? `, the first ${number(shown.length)} of ${number(rows.length)}: filter to see the others` : "";
  const left = store.leftOut ? `; the daemon left out ${number(store.leftOut)} cheaper ones` : "";
  return `${picked.title()}, ${orders[view.sort].words}${cut}${left}.`;
}

// The shape to open: the one that the link names, otherwise the worst one, until the user chooses.
function findOpen(view, result) {
  const has = hash => result.shown.some(shape => shape.shapeHash === hash);
  if (view.shape) return view.shape;
  return has(shapesPart.open) ? shapesPart.open : result.shown[0]?.shapeHash ?? "";
}

function showLinked(view) {
  if (shapesPart.linked === view.shape || store.shapes.size === 0) return;
  shapesPart.linked = view.shape;
  const shape = [...store.shapes.values()].find(each => each.shapeHash === view.shape);
  if (!shape) return;
  note(shape, newSince(view));
  const shown = views.find(each => each.name === view.show);
  if (!shown.has(shape)) view.show = views.find(each => each.has(shape)).name;
  shapesPart.scrollTo = shapeKey(shape);
}

function* paintFindings(items, view) {
  yield* paintList(shapesPart.list, items, shapeKey, (shape, old) => drawShape(shape, old, shape.shapeHash === shapesPart.open, view));
  const row = shapesPart.list.painted?.get(shapesPart.scrollTo);
  if (row) row.scrollIntoView({block: "nearest"});
  shapesPart.scrollTo = "";
}

export function drawFindings(view, mayReorder) {
  showLinked(view);
  const result = chosen(view);
  drawTools(view, result);
  refill(shapesPart.words, listWords(result, view));
  shapesPart.open = findOpen(view, result);
  paint("findings", paintFindings(steady(shapesPart.list, result.shown, shapeKey, mayReorder), view));
  return result;
}
