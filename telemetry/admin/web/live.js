// Replaces the server-rendered page by the API's data, and keeps it up to date.

import {drawCollections} from "./collections.js";
import {drawCompare} from "./compare.js";
import {drawHeadline, drawWrong} from "./conditions.js";
import {keepInContact} from "./contact.js";
import {paint, waitForClicks} from "./elements.js";
import {buildFindings, drawFindings, listenToKeys, shapesPart} from "./findings.js";
import {drawHealth, drawRules, drawSummary} from "./status.js";
import {store} from "./store.js";
import {parameters, queryOf, readQuery} from "./view.js";

const lists = ["findings", "collections", "compare"];

// `isStep`: whether the browser's "back" returns to the previous view.
function writeAddress(view, isStep) {
  const query = queryOf(view);
  if (query !== location.search) history[isStep ? "pushState" : "replaceState"](null, "", location.pathname + query);
}

export function start() {
  const {view, ignored} = readQuery(location.search);
  const mayReorder = new Set(lists);

  function* drawParts() {
    drawHeadline(ignored);
    if (store.shapes.size > 0 || shapesPart.list) {
      if (!shapesPart.list) {
        buildFindings(view, change);
        listenToKeys(view, change);
      }
      const result = drawFindings(view, mayReorder.delete("findings"));
      yield;
      drawSummary(result, view, change);
      yield;
      drawCompare(view, mayReorder.delete("compare"));
      yield;
    }
    drawCollections(view, change, mayReorder.delete("collections"));
    yield;
    drawWrong();
    drawRules();
    drawHealth();
  }

  function draw() {
    paint("parts", drawParts());
  }

  // Answers that arrive together are drawn once.
  let isDue = false;
  function redraw() {
    if (isDue) return;
    isDue = true;
    setTimeout(() => { isDue = false; draw(); }, 50);
  }

  function drawAnew() {
    for (const each of lists) mayReorder.add(each);
    draw();
  }

  function change(what, isStep = false) {
    Object.assign(view, what);
    if (view.since === "mark" && !view.mark) view.since = parameters.since.usual;
    ignored.length = 0;  // the address no longer has them
    shapesPart.linked = view.shape;
    writeAddress(view, isStep);
    drawAnew();
  }

  function follow(named) {
    change(named, true);
    if (!("shape" in named)) return;
    shapesPart.open = "";
    shapesPart.linked = "";
    document.querySelector("#findings").scrollIntoView();
  }

  addEventListener("popstate", () => {
    const address = readQuery(location.search);
    Object.assign(view, address.view);
    ignored.splice(0, ignored.length, ...address.ignored);
    shapesPart.open = "";
    drawAnew();
  });

  // A link within the page changes only the view's parameters that it names, and loads nothing.
  document.addEventListener("click", event => {
    const link = event.target.closest?.("a[href^='?']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !shapesPart.list) return;
    event.preventDefault();
    follow(Object.fromEntries(new URLSearchParams(link.getAttribute("href"))));
  });

  waitForClicks();
  keepInContact(redraw);
}
