// A shape in words and figures.

import {now, rateOf} from "./store.js";
import {ago, millis, number, rate} from "./text.js";

export function callerWords(caller) {
  if (caller.other) return "others";
  return [caller.appName, caller.user, caller.remote].filter(Boolean).join(" ") || "unknown";
}

export function firstCaller(shape) {
  const first = shape.callers?.[0];
  if (!first) return "";
  const more = shape.callers.length - 1;
  return "sent by " + callerWords(first) + (first.comment ? ` (${first.comment})` : "") + (more ? ` and ${more} more` : "");
}

// "filter: actor_id, status, 3 more"
export function filterWords(fields) {
  const few = fields.slice(0, 4).map(name => name.length > 32 ? name.slice(0, 31) + "…" : name);
  return `filter: ${few.join(", ")}${fields.length > few.length ? `, ${fields.length - few.length} more` : ""}`;
}

// The row's figures, as texts: [value, words, title, datetime]. All rows have all of them, in fixed columns.
export function figuresOf(shape) {
  const wasted = shape.wastedShardRequests ?? null;
  return [
    [rate(rateOf(shape)), "now"],
    [number(shape.count), shape.count === 1 ? "command" : "commands"],
    [number(shape.fanout?.max), "shards", shape.fanout ? null : noChunks],
    [number(wasted), "wasted", wasted === null ? noChunks : null],
    [millis(shape.durationMillis?.p95), "p95"],
    [ago(shape.lastSeen, now()), "last seen", null, shape.lastSeen],
  ];
}

export function shapeText(shape) {
  return shape.shape ? JSON.stringify(shape.shape, null, 2) : "";
}

export function fixOf(shape) {
  if (shape.kind === "getMore") return "None here: a getMore goes to the shards of its cursor. Fix the command that opened the cursor.";
  if (shape.suggestion) return shape.suggestion[0].toUpperCase() + shape.suggestion.slice(1) + ".";
  return shape.kind === "other" ? "None needed: this isn't a finding." : "";
}

export const noChunks = "no chunks known";
