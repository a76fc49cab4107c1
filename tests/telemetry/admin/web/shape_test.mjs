import assert from "node:assert/strict";
import test, {beforeEach} from "node:test";

import {csvOf, jsonOf} from "../../../../telemetry/admin/web/export.js";
import {callerWords, figuresOf, filterWords, firstCaller, fixOf, grafanaAddress} from "../../../../telemetry/admin/web/shape.js";
import {store, takeShapes} from "../../../../telemetry/admin/web/store.js";
import {forget, noon, shape, view} from "./planted.mjs";

beforeEach(forget);

test("callers", () => {
  for (const [caller, words] of [[{other: true}, "others"], [{}, "unknown"], [{appName: "shop", remote: "10.0.0.1"}, "shop 10.0.0.1"]]) {
    assert.equal(callerWords(caller), words);
  }
  assert.equal(firstCaller({callers: [{user: "ann", comment: "a.go:1"}, {}, {}]}), "sent by ann (a.go:1) and 2 more");
  assert.equal(firstCaller({}), "");
});

test("few fields of a filter, and short ones", () => {
  assert.equal(filterWords(["a", "b"]), "filter: a, b");
  assert.equal(filterWords(["a", "b", "c", "d", "e", "f"]), "filter: a, b, c, d, 2 more");
  assert.equal(filterWords(["x".repeat(40)]), `filter: ${"x".repeat(31)}…`);
});

test("the fix is that of the kind", () => {
  assert.equal(fixOf(shape({suggestion: "add equality on region"})), "Add equality on region.");
  assert.match(fixOf(shape({kind: "getMore"})), /^None here/);
  assert.match(fixOf(shape({kind: "other"})), /^None needed/);
  assert.equal(fixOf(shape()), "");
});

test("what isn't known of shards is a question mark, and says why", () => {
  const own = {samples: [{at: Date.now(), count: 1}]};
  assert.deepEqual(figuresOf(shape({own, fanout: undefined, wastedShardRequests: null})).slice(1, 4),
    [["1", "command"], ["?", "shards", "no chunks known"], ["?", "wasted", "no chunks known"]]);
});

test("CSV quotes what has to be, and no cell is a formula", () => {
  const [head, row, end] = csvOf([shape({ns: '=HYPERLINK("http://x",1)', suggestion: "-1", reason: "a,b\r\nc"})]).split(/\r\n(?=shapeHash|0123|$)/);
  assert.match(head, /^shapeHash,ns,command,kind,/);
  assert.ok(row.startsWith('0123456789abcdef,"\'=HYPERLINK(""http://x"",1)",find,finding,scatter_gather,"a,b\r\nc",'), row);
  assert.ok(row.includes(",'-1,"));
  assert.equal(end, "");
});

test("the export has what the API said, and not what the page knows", () => {
  takeShapes({generatedAt: noon, shapes: [shape()]});
  const exported = JSON.parse(jsonOf([...store.shapes.values()], view({q: "find"})));
  assert.deepEqual(exported.shapes, [shape()]);
  assert.deepEqual(exported.view, {q: "find", show: "now", sort: "worst", since: "1h"});
});

test("a template's places are filled in, encoded", () => {
  const [path, from, to] = grafanaAddress("/d?db={db}&c={collection}&s={shape}&x={other}|{from}|{to}", {ns: "shop.a&b.c", shapeHash: "ff"}, view({range: "1h"})).split("|");
  assert.equal(path, "/d?db=shop&c=a%26b.c&s=ff&x={other}");
  assert.equal(to - from, 3_600_000);
  assert.match(grafanaAddress("{db}/{collection}", {ns: "shop"}, view()), /^shop\/$/);
});
