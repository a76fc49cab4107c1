import assert from "node:assert/strict";
import test, {beforeEach} from "node:test";

import {chosen, orders, quietWords} from "../../../../telemetry/admin/web/choose.js";
import {orderedCollections} from "../../../../telemetry/admin/web/collections.js";
import {store, takeCollections, takeShapes} from "../../../../telemetry/admin/web/store.js";
import {forget, noon, shape, view} from "./planted.mjs";

beforeEach(forget);

function take(...shapes) {
  takeShapes({generatedAt: noon, shapes: shapes.map((each, at) => shape({shapeHash: String(at).padStart(16, "0"), ...each}))});
}

const names = view => chosen(view).rows.map(each => each.ns);

test("each shape is in the view of its kind, and counted there", () => {
  take({ns: "a"}, {ns: "b", kind: "resolved"}, {ns: "c", kind: "accepted"}, {ns: "d", kind: "getMore"}, {ns: "e", kind: "other"}, {ns: "f", kind: "from_the_future"});
  for (const [show, expected] of [["now", ["a"]], ["new", ["a"]], ["back", []], ["quiet", ["b"]], ["accepted", ["c"]], ["getmore", ["d"]], ["other", ["e", "f"]]]) {
    const {rows, counts} = chosen(view({show, since: "2026-11-23T00:00:00Z", sort: "name"}));
    assert.deepEqual(rows.map(each => each.ns), expected, show);
    assert.equal(counts[show], expected.length);
  }
});

test("new and back go by the chosen time", () => {
  take({ns: "old", firstSeen: "2026-11-20T00:00:00Z"}, {ns: "back", firstSeen: "2026-11-20T00:00:00Z", regressedAt: noon}, {ns: "fresh"});
  assert.deepEqual(names(view({show: "new", since: noon})), ["fresh"]);
  assert.deepEqual(names(view({show: "back", since: noon})), ["back"]);
});

test("orders", () => {
  take({ns: "b", wastedShardRequests: 5, count: 1, fanout: {max: 2}}, {ns: "a", wastedShardRequests: 1, refused: 1, errors: 3, durationMillis: {total: 9, p95: 1}},
    {ns: "c", wastedShardRequests: null, count: 7, firstSeen: "2026-11-23T12:00:01Z", durationMillis: {total: 1, p95: 8}});
  const expected = {worst: "abc", time: "acb", slow: "cab", count: "cab", shards: "bac", errors: "acb", newest: "cab", name: "abc", rate: "acb"};
  assert.deepEqual(Object.keys(expected).sort(), Object.keys(orders).sort());
  for (const [sort, order] of Object.entries(expected)) assert.equal(names(view({sort})).join(""), order, sort);
});

test("the filter hides rows but no scattering shape", () => {
  take({ns: "a"}, {ns: "b"});
  const {rows, scattering, counts} = chosen(view({q: "ns:b"}));
  assert.deepEqual([rows.length, scattering, counts.now], [1, 2, 1]);
});

test("a daemon that doesn't say what a shape is makes the number of findings unknown", () => {
  take({ns: "a"}, {ns: "b", kind: undefined}, {ns: "c"});
  assert.equal(chosen(view()).scattering, null);
});

test("more than 500 rows are cut, and all are counted", () => {
  take(...Array.from({length: 501}, (_, at) => ({ns: `n${at}`})));
  const {rows, shown, counts} = chosen(view());
  assert.deepEqual([rows.length, shown.length, counts.now], [501, 500, 501]);
});

test("a finding is resolved after what the daemon says", () => {
  assert.equal(quietWords(), "hour");
  store.status = {resolvedAfterSeconds: 600};
  assert.equal(quietWords(), "10 minutes");
});

test("collections are in the order of the chosen column, the busier first where it has none", () => {
  const one = (ns, commands, findings, p95) => ({ns, commands, findings, durationMillis: p95 && {p95}, lastMinute: {seconds: 60, commands}});
  takeCollections({generatedAt: noon, totals: {}, collections: [one("b", 1, 5), one("a", 9, 5, 3), one("c", 4, 7, 2)]});
  for (const [csort, order] of [["findings", "cab"], ["ns", "abc"], ["p95", "acb"], ["rate", "acb"]]) {
    assert.equal(orderedCollections(view({csort})).map(each => each.ns).join(""), order, csort);
  }
});
