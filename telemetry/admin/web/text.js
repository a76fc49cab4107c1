// Formats texts, numbers and times for people.

// Invisible characters that change what is visible: the list of text/utf8.hpp.
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escapeUnseen = letter => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0");

export function plain(text) {
  return String(text ?? "").replace(unseen, escapeUnseen);
}

// As plain(), line by line: a shape as indented JSON.
export function plainLines(text) {
  return text.split("\n").map(plain).join("\n");
}

const grouped = new Intl.NumberFormat("en");

export function number(value) {
  return value === null || value === undefined ? "?" : grouped.format(value);
}

export function plural(count, one, several = one + "s") {
  return `${number(count)} ${count === 1 ? one : several}`;
}

export function percent(part, whole) {
  if (!whole) return "–";
  const share = 100 * part / whole;
  return `${share === 0 || share >= 10 ? share.toFixed(0) : share >= 1 ? share.toFixed(1) : share.toFixed(2)} %`;
}

export function rate(perSecond) {
  if (perSecond === null || perSecond === undefined) return "–";
  if (perSecond === 0) return "0/s";
  if (perSecond >= 10) return `${grouped.format(Math.round(perSecond))}/s`;
  if (perSecond >= 0.1) return `${perSecond.toFixed(1)}/s`;
  if (perSecond >= 1 / 60) return `${(perSecond * 60).toFixed(1)}/min`;
  return `${(perSecond * 3600).toFixed(1)}/h`;
}

export function millis(value) {
  if (value === null || value === undefined) return "–";
  if (value < 1) return `${Math.round(value * 1000)} µs`;
  if (value < 1000) return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  return span(value / 1000);
}

// "4.2 s", "12 min", "3 h 5 min", "4 d 2 h"
export function span(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

// "hour", "24 hours", "30 minutes", "90 seconds": after "the last"
export function durationWords(seconds) {
  const [size, unit] = seconds % 3600 === 0 ? [3600, "hour"] : seconds % 60 === 0 ? [60, "minute"] : [1, "second"];
  return seconds === size ? unit : plural(seconds / size, unit);
}

export function ago(time, now) {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return "–";
  if (seconds < 2) return "now";
  if (seconds < 120) return `${Math.round(seconds)} s ago`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 172800 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86400)} d ago`;
}

// "2026-11-23 05:00:00 UTC"
export function timeWords(millis) {
  return new Date(millis).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
