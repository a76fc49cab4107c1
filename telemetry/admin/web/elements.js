// Makes the page's elements, and paints them in short tasks.

import {ago, plain} from "./text.js";

const svgNames = new Set(["svg", "path", "rect", "line", "title"]);

export function make(tag, attributes = {}, ...children) {
  const made = svgNames.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === "" || child === false) continue;
    made.append(child instanceof Node ? child : plain(child));
  }
  return made;
}

// Replaces the children of `place` if the text differs; otherwise keeps focus and selection.
export function refill(place, ...content) {
  const made = make("div", {}, ...content);
  if (place.textContent !== made.textContent) place.replaceChildren(...made.childNodes);
}

export function timeElement(time, now) {
  if (!time) return make("span", {}, "–");
  return make("time", {datetime: time, title: time}, ago(time, now));
}

// Adds a section that the server doesn't render, and returns its body.
export function part(id, words) {
  let made = document.getElementById(id);
  if (!made) {
    made = make("section", {id}, make("h2", {}, words), make("div", {}));
    document.querySelector("main").append(made);
  }
  return made.lastElementChild;
}

export function fact(words, ...value) {
  return value.flat(Infinity).some(each => each !== null && each !== "" && each !== undefined)
    ? [make("dt", {}, words), make("dd", {}, ...value)] : [];
}

const slice = 8;  // milliseconds
const jobs = new Map();  // by the part that they paint: a newer job replaces an older one
let isPainting = false;
let isHeld = false;

export function paint(what, steps) {
  jobs.set(what, steps);
  keepPainting();
}

function keepPainting() {
  if (isPainting || isHeld || jobs.size === 0) return;
  isPainting = true;
  setTimeout(paintOn, 0);
}

function paintOn() {
  const end = performance.now() + slice;
  while (jobs.size > 0 && !isHeld && performance.now() < end) {
    const [what, steps] = jobs.entries().next().value;
    if (isDoneBy(steps, end) && jobs.get(what) === steps) jobs.delete(what);
  }
  isPainting = false;
  keepPainting();
}

// Drops and reports a job that fails; paints the others.
function isDoneBy(steps, end) {
  try {
    let isDone = false;
    while (!isDone && performance.now() < end) isDone = steps.next().done;
    return isDone;
  } catch (error) {
    reportError(error);
    return true;
  }
}

// Pauses painting if `hold`; due jobs wait.
export function holdPainting(hold) {
  isHeld = hold;
  keepPainting();
}

// A browser sends no click if the pressed element is replaced before the release. So nothing changes in between.
export function waitForClicks() {
  document.addEventListener("pointerdown", event => { if (event.button === 0) holdPainting(true); }, true);
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => holdPainting(false), true);
  // If the release was elsewhere.
  document.addEventListener("pointermove", event => { if (event.buttons === 0) holdPainting(false); }, true);
  addEventListener("blur", () => holdPainting(false));
}

// Paints a list whose children are kept by key: `draw(item, old)` returns the element of an item: the old one if it
// is still correct.
export function* paintList(list, items, keyOf, draw) {
  list.painted ??= new Map();
  const left = new Map(list.painted);
  let at = list.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const old = left.get(key);
    left.delete(key);
    const drawn = draw(item, old);
    if (old && drawn !== old) old.replaceWith(drawn);
    if (at === old) at = drawn;
    if (drawn === at) {
      at = at.nextElementSibling;
    } else {
      list.insertBefore(drawn, at);
    }
    drawn.key = key;
    list.painted.set(key, drawn);
    yield;
  }
  for (const [key, gone] of left) {
    gone.remove();
    list.painted.delete(key);
    yield;
  }
}

function isRead(list) {
  return list.matches(":hover") || list.contains(document.activeElement);
}

// While a user reads a list, its rows keep their places under the pointer and the cursor; new ones come last.
export function steady(list, items, keyOf, mayReorder) {
  if (mayReorder || !isRead(list)) return items;
  const places = new Map([...list.children].map((row, at) => [row.key, at]));
  const placeOf = item => places.get(keyOf(item)) ?? list.children.length;
  return items.map((item, at) => ({item, at, place: placeOf(item)}))
    .sort((a, b) => a.place - b.place || a.at - b.at).map(each => each.item);
}
