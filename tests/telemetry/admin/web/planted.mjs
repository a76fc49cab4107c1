// Answers of the API, as small as the page's modules read them.

import {store} from "../../../../telemetry/admin/web/store.js";

export const noon = "2026-11-23T12:00:00.000Z";

export function shape(with_ = {}) {
  return {
    shapeHash: "0123456789abcdef", ns: "shop.orders", command: "find", kind: "finding", routing: "scatter_gather", reason: "missing_key",
    fields: ["status"], missing: ["region"], count: 1, errors: 0, refused: 0, wastedShardRequests: 2, firstSeen: noon, lastSeen: noon, ...with_,
  };
}

export function history(with_ = {}) {
  return {
    generatedAt: noon, minutes: {seconds: 60, count: 60, end: noon}, tenMinutes: {seconds: 600, count: 144, end: noon},
    collections: [], others: {minutes: {}, tenMinutes: {}}, shapes: [], ...with_,
  };
}

export function view(with_ = {}) {
  return {q: "", show: "now", sort: "worst", since: "1h", range: "24h", mark: "", shape: "", csort: "findings", keys: "on", ...with_};
}

export function forget() {
  Object.assign(store, {
    shapes: new Map(), shapeSeries: new Map(), leftOut: 0, collections: new Map(), totals: null, totalsAt: "", rules: null, history: null, status: null,
    clock: 0, heardAt: 0,
  });
}
