// Creates the page's elements. Data from outside becomes text nodes, never markup.

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
