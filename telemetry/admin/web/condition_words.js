// Describes conditions in words, and groups those of a kind.

import {plural} from "./text.js";

const fewOfAKind = 3;

export const kindWords = each => each.message ?? each.kind.replace(/_/g, " ");

export const conditionKey = each => [each.kind, each.listener, each.subject, each.since, each.active].join(" ");

// " at listener 127.0.0.1:27117"
export function whereAll(members) {
  const listeners = [...new Set(members.map(each => each.listener).filter(Boolean))];
  return listeners.length === 0 ? "" : listeners.length === 1 ? ` at listener ${listeners[0]}` : ` at ${plural(listeners.length, "listener")}`;
}

// Conditions; if there are more than a few of a kind, {members} replaces the first and the others are omitted.
export function byKind(active) {
  const kinds = new Map();
  for (const each of active) kinds.set(each.kind, [...kinds.get(each.kind) ?? [], each]);
  const items = [];
  for (const each of active) {
    const members = kinds.get(each.kind);
    if (members.length <= fewOfAKind) items.push(each);
    else if (each === members[0]) items.push({kind: each.kind, members});
  }
  return items;
}
