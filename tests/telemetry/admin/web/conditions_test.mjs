import assert from "node:assert/strict";
import test from "node:test";

import {byKind, conditionKey, kindWords, whereAll} from "../../../../telemetry/admin/web/conditions.js";

const of = (kind, count) => Array.from({length: count}, (_, at) => ({kind, subject: String(at)}));

test("more than three of a kind are one item, in the place of the first", () => {
  const [a, b, c] = [of("a", 3), of("b", 4), of("c", 1)];
  assert.deepEqual(byKind([b[0], ...a, ...b.slice(1), ...c]), [{kind: "b", members: b}, ...a, ...c]);
  assert.deepEqual(byKind([]), []);
});

test("where they are", () => {
  for (const [listeners, words] of [[[undefined], ""], [["x", "x"], " at listener x"], [["x", "y", undefined], " at 2 listeners"]]) {
    assert.equal(whereAll(listeners.map(listener => ({listener}))), words);
  }
});

test("a kind has its message, or its name in words", () => {
  assert.equal(kindWords({kind: "audit_log", message: "It fails"}), "It fails");
  assert.equal(kindWords({kind: "audit_log_lost"}), "audit log lost");
});

test("a condition that came again is another one", () => {
  assert.notEqual(conditionKey({kind: "a", since: "1", active: true}), conditionKey({kind: "a", since: "2", active: true}));
});
