// The columns of the collections, and their orders.

import {byNumber} from "./choose.js";
import {store} from "./store.js";

// Commands a second in the last minute.
export const recentRate = each => each.lastMinute.seconds ? each.lastMinute.commands / each.lastMinute.seconds : null;

export const columns = [
  {name: "ns", words: "collection", sort: (a, b) => a.ns.localeCompare(b.ns)},
  {name: "rate", words: "rate", sort: byNumber(recentRate)},
  {name: "share", words: "where commands go"},
  {name: "findings", words: "findings", sort: byNumber(c => c.findings)},
  {name: "wasted", words: "wasted shard requests", sort: byNumber(c => c.wastedShardRequests)},
  {name: "p95", words: "p95", sort: byNumber(c => c.durationMillis?.p95)},
  {name: "time", words: "time", sort: byNumber(c => c.durationMillis?.total)},
  {name: "apart", words: "accepted, getMore"},
  {name: "day", words: ""},
];

// The store's collections, by the column that the view names.
export function orderedCollections(view) {
  const {sort} = columns.find(column => column.name === view.csort);
  return [...store.collections.values()].sort((a, b) => sort(a, b) || b.commands - a.commands || a.ns.localeCompare(b.ns));
}
