import assert from "node:assert/strict";
import test from "node:test";

import {isTime, markOf, newSince} from "../../../../telemetry/admin/web/history.js";
import {parameters, queryOf, readQuery} from "../../../../telemetry/admin/web/view.js";
import {view} from "./planted.mjs";

test("an address without a query is the usual view", () => {
  assert.deepEqual(readQuery(""), {view: view(), ignored: []});
  assert.equal(queryOf(view()), "");
});

const views = [
  {q: "ns:shop.orders a&b=c #?+%"}, {show: "quiet", sort: "slow"}, {since: "mark", mark: "2026-11-23T05:00:00Z"}, {since: "2026-11-23T05:00:00+01:00"},
  {shape: "0123456789abcdef"}, {shape: "none", keys: "off"}, {range: "6h", csort: "p95"},
];
for (const each of views) {
  test(`what is written is read again: ${JSON.stringify(each)}`, () => {
    assert.deepEqual(readQuery(queryOf(view(each))), {view: view(each), ignored: []});
  });
}

test("each parameter's usual value is valid", () => {
  assert.deepEqual(readQuery("?" + new URLSearchParams(view())).ignored, []);
  assert.deepEqual(Object.keys(view()).sort(), Object.keys(parameters).sort());
});

const ignored = [
  ["?foo=1", "foo=1 (unknown)"], ["?range=9h", "range=9h (1h, 6h or 24h)"], ["?mark=yesterday", "mark=yesterday (a time such as 2026-11-23T05:00:00Z)"],
  ["?since=mark", "since=mark (there is no mark)"], ["?shape=XYZ", "shape=XYZ (16 hex digits or none)"], ["?csort=day", /^csort=day \(ns, rate, /],
  [`?q=${"a".repeat(201)}`, /^q=a{40}… \(at most 200 characters\)$/], ["?constructor=1", "constructor=1 (unknown)"], ["?mark=2026-13-45T99:00:00Z", /^mark=/],
];
for (const [query, words] of ignored) {
  test(`${query.slice(0, 40)} is ignored, and said to be`, () => {
    const read = readQuery(query);
    assert.deepEqual(read.view, view());
    assert.equal(read.ignored.length, 1);
    assert.match(read.ignored[0], words instanceof RegExp ? words : new RegExp(`^${words.replace(/[()+.]/g, "\\$&")}$`));
  });
}

test("the plus of a time zone that became a space is one again", () => {
  assert.equal(readQuery("?mark=2026-11-23T05:00:00 01:00").view.mark, "2026-11-23T05:00:00+01:00");
});

test("times", () => {
  assert.ok(isTime("2026-11-23T05:00Z") && !isTime("2026-11-23") && !isTime("now"));
  assert.equal(markOf(view()), null);
  const mark = "2026-11-23T05:00:00Z";
  assert.equal(markOf(view({mark})), Date.parse(mark));
  assert.equal(newSince(view({mark, since: "mark"})), Date.parse(mark));
  assert.equal(newSince(view({since: mark})), Date.parse(mark));
  assert.ok(Math.abs(Date.now() - 3600_000 - newSince(view())) < 60_000);
});
