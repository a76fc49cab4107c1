// The controls: view, filter, order, start of "new", export.

import {mostLetters} from "./address.js";
import {orders, views} from "./choose.js";
import {make, refill} from "./elements.js";
import {exportButtons} from "./export.js";
import {number, timeWords} from "./text.js";
import {isTime} from "./times.js";

export const toolsPart = {buttons: new Map(), filter: null, sort: null, since: null, sinceOptions: ""};

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

export function buildTools(view, change) {
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

export function drawTools(view, {counts, picked}) {
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
