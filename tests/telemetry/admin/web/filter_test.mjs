import assert from "node:assert/strict";
import test from "node:test";

import {filterOf, filterOfCollection} from "../../../../telemetry/admin/web/choose.js";
import {shape} from "./planted.mjs";

const callers = [{appName: "careless-shop", user: "Ann", remote: "10.1.2.3", comment: "orders.go:42", driver: "Go"}];
const find = () => shape({own: {}, ns: "shop.Order Items", fields: ["key", "address.city"], callers});

const passing = [
  "", "order", "FIND", "missing_key", '"missing key"', "key", "field:address", "field:address.city", "field:", "app:careless", "user:ann", "ns:shop.order",
  'ns:"order items"', "command:find", "10.1.2", "orders.go:42", "0123456789abcdef", "region", "find app:shop field:key", "go",
];
const failing = ["nosuch", "field:addres", "field:city", "app:ann", "user:careless", "ns:careless", "command:fin", "missing", "find nosuch", "nosuch:key"];

for (const [words, expected] of [...passing.map(each => [each, true]), ...failing.map(each => [each, false])]) {
  test(`"${words}" ${expected ? "finds it" : "doesn't find it"}`, () => assert.equal(filterOf(words)(find()), expected));
}

test("a shape that lacks what older daemons lack is found by what it has", () => {
  const {callers, fields, missing, reason, ...old} = shape({own: {}});
  assert.ok(filterOf("shop.orders find")(old));
});

test("the filter of a collection finds it, whatever its name has", () => {
  for (const ns of ["shop.orders", "shop.Order Items", 'shop."quoted" name', "shop.a:b", "shop.app:x"]) {
    const named = shape({own: {}, ns: ns.replace(/"/g, "")});
    assert.ok(filterOf(filterOfCollection(ns))(named), ns);
    assert.ok(!filterOf(filterOfCollection(ns))(shape({own: {}, ns: "other.one"})), ns);
  }
});
