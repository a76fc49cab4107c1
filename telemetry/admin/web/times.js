// The times that a view names.

import {now} from "./store.js";

export const spans = {"1h": 3600, "24h": 86400, "7d": 7 * 86400};

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

export function isTime(text) {
  return timeForm.test(text) && !Number.isNaN(Date.parse(text));
}

// The time since which a shape is new, in milliseconds.
export function newSince(view) {
  if (spans[view.since]) return now() - spans[view.since] * 1000;
  return Date.parse(view.since === "mark" ? view.mark : view.since);
}

// The mark's time in milliseconds; null if there is none.
export function markOf(view) {
  return view.mark ? Date.parse(view.mark) : null;
}
