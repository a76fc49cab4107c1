import assert from "node:assert/strict";
import test, {beforeEach} from "node:test";

import {changeWords, comparedCollections, comparedShapes, comparedSpans, spansWords} from "../../../../telemetry/admin/web/compare.js";
import {axisOf, collectionSeries, latest, wholeSeries} from "../../../../telemetry/admin/web/history.js";
import {store, takeHistory, takeShapes} from "../../../../telemetry/admin/web/store.js";
import {forget, history, noon, shape, view} from "./planted.mjs";

beforeEach(forget);

const tens = (...values) => ({minutes: {}, tenMinutes: {single_shard: values}});
const before = minutes => Date.parse(noon) - minutes * 60_000;

test("the axis of a range", () => {
  takeHistory(history());
  for (const [range, head, count, minutes] of [["1h", "minutes", 60, 60], ["6h", "tenMinutes", 36, 360], ["24h", "tenMinutes", 144, 1440]]) {
    const axis = axisOf(range);
    assert.deepEqual([axis.head, axis.count, axis.from, axis.end], [head, count, before(minutes), Date.parse(noon)]);
  }
});

test("an axis isn't longer than the history", () => {
  takeHistory(history({tenMinutes: {seconds: 600, count: 3, end: noon}}));
  assert.deepEqual([axisOf("24h").count, axisOf("24h").from], [3, before(30)]);
});

test("values are aligned at the end", () => {
  assert.deepEqual([latest([1, 2, 3], 2), latest([1], 3), latest(undefined, 2)], [[2, 3], [0, 0, 1], [0, 0]]);
});

test("commands are those of all classes, accepted ones and getMores", () => {
  const of = {minutes: {single_shard: [1, 2], accepted: [10, 0], getMore: [0, 100], findings: [5, 6]}};
  assert.deepEqual(collectionSeries(of, "minutes", 2), {commands: [11, 102], findings: [5, 6]});
});

test("the whole is all collections and what isn't named", () => {
  takeHistory(history({collections: [{ns: "a", ...tens(1, 2)}, {ns: "b", ...tens(10)}], others: tens(100, 100)}));
  assert.deepEqual(wholeSeries({head: "tenMinutes", count: 2}).commands, [101, 112]);
});

test("the spans before and after a mark are equal, with the step of the mark in neither", () => {
  takeHistory(history());
  const spans = comparedSpans(before(29.5));
  assert.deepEqual([spans.head, spans.before.from, spans.before.to, spans.after.from, spans.after.to], ["minutes", 1, 30, 31, 60]);
  assert.equal(spans.before.seconds, spans.after.seconds);
});

test("where minutes don't reach over both, steps of ten do", () => {
  takeHistory(history());
  const spans = comparedSpans(before(120));
  assert.deepEqual([spans.head, spans.after.to - spans.after.from, spans.before.to - spans.before.from], ["tenMinutes", 12, 12]);
});

test("where there is nothing to compare, it says why", () => {
  takeHistory(history());
  for (const [mark, words] of [[before(24 * 60 + 1), /begins after the mark/], [before(-60), /in the future|within three minutes/], [before(0.5), /within three minutes/]]) {
    assert.equal(comparedSpans(mark), null);
    assert.match(spansWords(mark, null), words);
  }
});

test("changes in words", () => {
  for (const [rates, words] of [[[0, 0], "–"], [[2, 2], "0 %"], [[0, 1], "new"], [[1, 0], "gone"], [[2, 3], "+50 %"], [[4, 1], "-75 %"], [[1, 20], "+1,900 %"]]) {
    assert.equal(changeWords(rates), words);
  }
});

test("what changed most comes first, and what isn't there isn't", () => {
  const half = [600, 600, 600], none = [0, 0, 0];
  takeHistory(history({tenMinutes: {seconds: 600, count: 6, end: noon}, minutes: {seconds: 60, count: 0, end: noon},
    collections: [{ns: "same", ...tens(...half, ...half)}, {ns: "silent", ...tens(...none, ...none)}, {ns: "gone", ...tens(...half, ...none)}]}));
  const compared = comparedCollections(comparedSpans(before(30)));
  assert.deepEqual(compared.map(each => [each.name, each.rates[0]]), [["gone", [1, 0]], ["same", [1, 1]]]);
});

test("shapes are compared that the filter lets through", () => {
  takeShapes({generatedAt: noon, shapes: [shape(), shape({command: "count"})]});
  const of = command => ({shapeHash: "0123456789abcdef", ns: "shop.orders", command, minutes: new Array(60).fill(60), tenMinutes: []});
  takeHistory(history({shapes: [of("find"), of("count"), of("gone")]}));
  const names = q => comparedShapes(comparedSpans(before(30)), view({q})).map(each => each.name);
  assert.deepEqual(names(""), ["find shop.orders", "count shop.orders", "gone shop.orders"]);
  assert.deepEqual(names("command:count"), ["count shop.orders"]);
  assert.equal(store.shapeSeries.size, 3);
});
