import assert from "node:assert/strict";
import test, {beforeEach} from "node:test";

import {rateOf, shapeKey, store, takeCollections, takeHistory, takeNow, takeRules, takeShapes, takeStatus} from "../../../../telemetry/admin/web/store.js";
import {forget, history, noon, shape} from "./planted.mjs";

beforeEach(forget);

const at = seconds => new Date(Date.parse(noon) + seconds * 1000).toISOString();
const only = () => [...store.shapes.values()][0];

test("an event changes what it names, and nothing else", () => {
  takeShapes({generatedAt: noon, shapes: [shape()]});
  assert.equal(takeNow({at: noon, shapes: [{shapeHash: "0123456789abcdef", ns: "shop.orders", command: "find", count: 7}], collections: [{ns: "shop.orders", commands: 7}]}), false);
  assert.deepEqual([only().count, only().reason, store.collections.get("shop.orders").commands], [7, "missing_key", 7]);
});

test("an event with a shape that isn't known is news", () => {
  takeShapes({generatedAt: noon, shapes: [shape()]});
  assert.equal(takeNow({at: noon, shapes: [shape({command: "count"})]}), true);
  assert.equal(store.shapes.size, 1);
});

test("the same hash of another command or collection is another shape", () => {
  assert.equal(new Set([shape(), shape({command: "count"}), shape({ns: "shop.items"})].map(shapeKey)).size, 3);
});

test("the rate is that of the last minute, and unknown at first", context => {
  context.mock.method(Date, "now", () => Date.parse(at(clock)));
  let clock = 0;
  takeShapes({generatedAt: at(0), shapes: [shape({count: 100})]});
  assert.equal(rateOf(only()), null);
  clock = 10;
  takeShapes({generatedAt: at(10), shapes: [shape({count: 200})]});
  assert.equal(rateOf(only()), 10);
  for (clock = 20; clock <= 200; clock += 10) takeNow({at: at(clock), shapes: [shape({count: 200})]});
  assert.equal(rateOf(only()), 0);
});

test("a daemon that begins again with zero has no rate below zero", context => {
  context.mock.method(Date, "now", () => Date.parse(at(clock)));
  let clock = 0;
  takeShapes({generatedAt: at(0), shapes: [shape({count: 100})]});
  clock = 5;
  takeShapes({generatedAt: at(5), shapes: [shape({count: 1})]});
  assert.equal(rateOf(only()), 0);
});

test("an answer that isn't what the page needs is refused, and what was known stays", () => {
  const status = {listeners: [], catalog: {}, audit: {}, state: {}, config: {}, generatedAt: noon};
  takeShapes({generatedAt: noon, shapes: [shape()]});
  takeCollections({generatedAt: noon, collections: [{ns: "a"}], totals: {}});
  takeStatus(status);
  takeHistory(history());
  takeRules({rules: [{}]});
  const known = JSON.stringify([...store.shapes, ...store.collections, store.status, store.history, store.rules]);
  for (const take of [takeShapes, takeCollections, takeStatus, takeHistory, takeRules, takeNow]) {
    for (const bad of [null, "login", 7, ...take === takeNow ? [] : [{}, [], {shapes: null, rules: null}]]) {
      assert.throws(() => take(bad), /it has no/, `${take.name} of ${JSON.stringify(bad)}`);
    }
  }
  assert.throws(() => takeShapes({shapes: [null]}));
  assert.equal(JSON.stringify([...store.shapes, ...store.collections, store.status, store.history, store.rules]), known);
});

test("an answer that an event has overtaken undoes nothing", () => {
  const status = (ready, generatedAt) => ({listeners: [], catalog: {}, audit: {}, state: {}, config: {}, ready, generatedAt});
  const one = commands => ({ns: "shop.orders", commands});
  takeShapes({generatedAt: at(0), shapes: [shape({count: 1})]});
  takeCollections({generatedAt: at(0), collections: [one(1)], totals: one(1)});
  takeNow({at: at(2), status: status(false, at(2)), totals: one(9), collections: [one(9)], shapes: [shape({count: 9})]});
  takeShapes({generatedAt: at(1), shapes: [shape({count: 5}), shape({command: "count"})]});
  takeCollections({generatedAt: at(1), collections: [one(5), {ns: "other", commands: 1}], totals: one(5)});
  takeStatus(status(true, at(1)));
  assert.deepEqual([only().count, store.shapes.size, store.collections.get("shop.orders").commands, store.collections.size], [9, 2, 9, 2]);
  assert.deepEqual([store.totals.commands, store.status.ready], [9, false]);
  takeShapes({generatedAt: at(3), shapes: [shape({count: 10})]});
  takeCollections({generatedAt: at(3), collections: [one(10)], totals: one(10)});
  takeStatus(status(true, at(3)));
  assert.deepEqual([only().count, store.collections.get("shop.orders").commands, store.totals.commands, store.status.ready], [10, 10, 10, true]);
});

test("a daemon whose clock was set back is believed", () => {
  const status = (ready, generatedAt) => ({listeners: [], catalog: {}, audit: {}, state: {}, config: {}, ready, generatedAt});
  takeNow({at: at(0), status: status(true, at(0))});
  takeStatus(status(false, at(-3600)));
  assert.equal(store.status.ready, false);
});
