// Texts, numbers and times as people read them, and elements made of them. Whatever comes from
// outside becomes text nodes alone, never markup.

// Characters that nobody sees and that change what is seen: the list of routing/text/unseen.hpp.
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escapeUnseen = letter => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0");

function plain(text) {
  return String(text ?? "").replace(unseen, escapeUnseen);
}

// The same of lines of our own making: a shape as JSON, indented.
function plainLines(text) {
  return text.split("\n").map(plain).join("\n");
}

const svgNames = new Set(["svg", "path", "rect", "line", "title"]);

function make(tag, attributes = {}, ...children) {
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

const grouped = new Intl.NumberFormat("en");

function number(value) {
  return value === null || value === undefined ? "?" : grouped.format(value);
}

function plural(count, one, several = one + "s") {
  return `${number(count)} ${count === 1 ? one : several}`;
}

function percent(part, whole) {
  if (!whole) return "–";
  const share = 100 * part / whole;
  return `${share === 0 || share >= 10 ? share.toFixed(0) : share >= 1 ? share.toFixed(1) : share.toFixed(2)} %`;
}

function rate(perSecond) {
  if (perSecond === null || perSecond === undefined) return "–";
  if (perSecond === 0) return "0/s";
  if (perSecond >= 10) return `${grouped.format(Math.round(perSecond))}/s`;
  if (perSecond >= 0.1) return `${perSecond.toFixed(1)}/s`;
  return `${Math.max(1, Math.round(perSecond * 60))}/min`;
}

function millis(value) {
  if (value === null || value === undefined) return "–";
  if (value < 1) return `${Math.round(value * 1000)} µs`;
  if (value < 1000) return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  return span(value / 1000);
}

// "4.2 s", "12 min", "3 h 5 min", "4 d 2 h"
function span(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function ago(time, now) {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return "–";
  if (seconds < 2) return "now";
  return (seconds < 120 ? `${Math.round(seconds)} s` : span(seconds)) + " ago";
}

function timeElement(time, now) {
  if (!time) return make("span", {}, "–");
  return make("time", {datetime: time, title: time}, ago(time, now));
}
