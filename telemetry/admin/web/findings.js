// The list of shapes: its controls, its rows and its keys.

import {chosen, note, orders, views} from "./choose.js";
import {make, paint, paintList, refill, steady} from "./elements.js";
import {exportButtons} from "./export.js";
import {isTime, newSince} from "./history.js";
import {drawShape} from "./shape.js";
import {shapeKey, store} from "./store.js";
import {number, timeWords} from "./text.js";
import {mostLetters} from "./view.js";

const toolsPart = {buttons: new Map(), filter: null, sort: null, since: null, sinceOptions: ""};

function select(words, options, pick) {
  const made = make("select", {}, options.map(([name, text]) => make("option", {value: name}, text)));
  made.addEventListener("change", () => pick(made.value));
  return {made, label: make("label", {}, words + " ", made)};
}

function sinceOptions(view) {
  const options = [["1h", "the last hour"], ["24h", "the last 24 hours"], ["7d", "the last 7 days"]];
  if (view.mark) options.push(["mark", "the mark"]);
  if (isTime(view.since)) options.push([view.since, timeWords(Date.parse(view.since))]);
  return options;
}

function buildViews(change) {
  const group = make("div", {class: "views", role: "group", "aria-label": "Which shapes"});
  for (const each of views) {
    const button = make("button", {type: "button"});
    button.addEventListener("click", () => change({show: each.name, shape: ""}, true));
    toolsPart.buttons.set(each.name, button);
    group.append(button);
  }
  return group;
}

function buildTools(view, change) {
  const filter = make("input", {type: "search", id: "filter", autocomplete: "off", spellcheck: "false", maxlength: mostLetters,
    placeholder: "words, or app: field: ns: user: command:"});
  filter.addEventListener("input", () => change({q: filter.value}));
  const sort = select("Order", Object.entries(orders).map(([name, of]) => [name, of.words]), value => change({sort: value}, true));
  const since = select("New since", [], value => change({since: value}));
  toolsPart.filter = filter;
  toolsPart.sort = sort.made;
  toolsPart.since = since.made;
  return make("div", {class: "tools"}, buildViews(change),
    make("div", {class: "fields"}, make("label", {for: "filter"}, "Filter "), filter, sort.label, since.label, exportButtons(view)));
}

function drawSince(view) {
  const options = sinceOptions(view);
  const key = JSON.stringify(options);
  if (toolsPart.sinceOptions !== key) {
    toolsPart.sinceOptions = key;
    toolsPart.since.replaceChildren(...options.map(([name, text]) => make("option", {value: name}, text)));
  }
  if (toolsPart.since.value !== view.since) toolsPart.since.value = view.since;
}

function drawTools(view, {counts, picked}) {
  for (const each of views) {
    const button = toolsPart.buttons.get(each.name);
    refill(button, `${each.words} ${number(counts[each.name])}`);
    if (button.title !== each.title()) button.title = each.title();
    button.setAttribute("aria-pressed", String(each === picked));
  }
  if (toolsPart.filter.value !== view.q) toolsPart.filter.value = view.q;
  if (toolsPart.sort.value !== view.sort) toolsPart.sort.value = view.sort;
  drawSince(view);
}

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

const keyWords = [
  ["j, ↓", "next shape"], ["k, ↑", "previous shape"], ["Enter", "open or close the selected shape"],
  ["c", "copy the open shape's explain command"], ["/", "filter"], ["Escape", "leave the filter"], ["?", "this help"],
];

function isTyping(target) {
  return target.closest("input, select, textarea, dialog") !== null;
}

function summaries() {
  return [...shapesPart.list.querySelectorAll("summary")];
}

function step(by) {
  const all = summaries();
  if (all.length === 0) return;
  const at = all.findIndex(each => each.closest("li").contains(document.activeElement));
  const open = all.findIndex(each => each.parentElement.open);
  // The first key press selects the shape that is already open.
  const next = at >= 0 ? at + by : open >= 0 ? open : 0;
  const to = all[Math.min(Math.max(next, 0), all.length - 1)];
  to.focus();
  to.scrollIntoView({block: "nearest"});
}

function copyExplain() {
  shapesPart.list.querySelector("details[open] button[aria-label^='Copy: Explain']")?.click();
}

function buildHelp(view, change) {
  const close = make("button", {type: "button"}, "Close");
  const letters = make("input", {type: "checkbox", id: "letters"});
  letters.checked = view.keys === "on";
  letters.addEventListener("change", () => change({keys: letters.checked ? "on" : "off"}));
  const help = make("dialog", {id: "help", "aria-labelledby": "help-title"},
    make("h2", {id: "help-title"}, "Keys"),
    make("dl", {}, keyWords.flatMap(([key, words]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, words)])),
    make("p", {}, letters, make("label", {for: "letters"}, " use single letters")), close);
  close.addEventListener("click", () => help.close());
  document.body.append(help);
  const open = make("button", {type: "button", class: "help"}, "Keys: ?");
  open.addEventListener("click", () => help.showModal());
  document.querySelector("header").append(open);
  return help;
}

function onKey(event, view, help) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === toolsPart.filter) {
    if (event.key === "Escape") toolsPart.filter.blur();
    if (event.key === "Enter") step(1);
    return;
  }
  const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (isTyping(event.target) || (isArrow && !shapesPart.list.contains(event.target))) return;
  if (!isArrow && view.keys !== "on") return;
  const does = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
    c: copyExplain, "/": () => toolsPart.filter.focus(), "?": () => help.showModal(),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

export function listenToKeys(view, change) {
  const help = buildHelp(view, change);
  document.addEventListener("keydown", event => onKey(event, view, help));
}
