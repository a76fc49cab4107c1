import assert from "node:assert/strict";
import test from "node:test";

import {area, greatest, line, partsOf, placeOfMark, slicesOf} from "../../../../telemetry/admin/web/chart.js";

test("a line goes from the left to the right, the greatest value on top", () => {
  assert.equal(line([0, 5, 10], 10, 100, 21), "M0.0,21.0L50.0,11.0L100.0,1.0");
  assert.equal(area([0, 10], 10, 100, 21), "M0.0,21.0L100.0,1.0L100,21L0,21Z");
});

test("nothing, one value or zeros alone make no line", () => {
  for (const values of [[], [7], [0, 0, 0]]) assert.equal(area(values, greatest(values), 100, 20), "");
  assert.equal(greatest([]), 0);
});

test("the mark is where its time is, and nowhere outside", () => {
  const axis = {from: 1000_000, end: 2000_000, seconds: 60};
  for (const [mark, place] of [[null, null], [999_999, null], [1000_000, 0], [1500_000, 50], [2000_000, 99], [2060_000, 99], [2060_001, null]]) {
    assert.equal(placeOfMark(axis, 100, mark), place, String(mark));
  }
});

const counts = with_ => ({
  commands: 100, findings: 0, accepted: 0, getMore: 0, ...with_,
  byRouting: {scatter_gather: 0, multi_shard: 0, single_shard: 0, unsharded: 0, unknown: 0, not_routed: 0, ...with_.byRouting},
});

test("the bar has each part beside the one before", () => {
  const of = counts({findings: 10, getMore: 20, byRouting: {scatter_gather: 30, single_shard: 50}});
  assert.deepEqual(slicesOf(of, 200), [
    {name: "findings", x: 0, width: 20}, {name: "scatters that aren't findings", x: 20, width: 40},
    {name: "one shard", x: 60, width: 100}, {name: "getMore", x: 160, width: 40},
  ]);
});

test("findings are visible however rare they are", () => {
  const of = counts({commands: 1e9, findings: 1, byRouting: {scatter_gather: 1, single_shard: 1e9 - 1}});
  assert.equal(slicesOf(of, 160)[0].width, 2);
});

test("without commands there is no part", () => assert.deepEqual(partsOf(counts({commands: 0})), []));
