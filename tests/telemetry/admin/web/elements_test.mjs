import assert from "node:assert/strict";
import test from "node:test";

import {holdPainting, paint} from "../../../../telemetry/admin/web/elements.js";

const turn = () => new Promise(done => setTimeout(done, 0));

async function until(isDone) {
  while (!isDone()) await turn();
}

function* steps(list, ...words) {
  for (const each of words) {
    list.push(each);
    yield;
  }
}

test("a newer job of the same name replaces the older one", async () => {
  const painted = [];
  paint("a", steps(painted, "old"));
  paint("a", steps(painted, "new"));
  paint("b", steps(painted, "last"));
  await until(() => painted.includes("last"));
  assert.deepEqual(painted, ["new", "last"]);
});

test("nothing is painted between a press and its release, and all of it behind", async () => {
  const painted = [];
  holdPainting(true);
  paint("a", steps(painted, "one", "two"));
  for (let count = 0; count < 5; count++) await turn();
  assert.deepEqual(painted, []);
  holdPainting(false);
  await until(() => painted.length === 2);
});

test("a press holds what is half painted", async () => {
  const painted = [];
  paint("a", function* () {
    painted.push("one");
    holdPainting(true);
    for (const end = performance.now() + 10; performance.now() < end;);  // the turn is over
    yield;
    painted.push("two");
  }());
  await until(() => painted.length === 1);
  for (let count = 0; count < 5; count++) await turn();
  assert.deepEqual(painted, ["one"]);
  holdPainting(false);
  await until(() => painted.length === 2);
});

test("what fails is reported, and the rest is painted", async () => {
  const painted = [];
  const reported = [];
  globalThis.reportError = error => reported.push(error.message);
  paint("bad", function* () { throw new Error("no"); }());
  paint("good", steps(painted, "good"));
  await until(() => painted.length === 1);
  assert.deepEqual(reported, ["no"]);
});
