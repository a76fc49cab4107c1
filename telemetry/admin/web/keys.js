// Keys: single letters, outside of input fields.

import {make} from "./elements.js";
import {shapesPart} from "./findings.js";
import {toolsPart} from "./tools.js";

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
