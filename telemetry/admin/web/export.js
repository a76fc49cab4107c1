// The shapes of the current view as a file, made by the browser: CSV (RFC 4180) or JSON.

import {chosen} from "./choose.js";
import {make} from "./elements.js";
import {callerWords} from "./shape.js";
import {now} from "./store.js";

const csvColumns = [
  ["shapeHash", s => s.shapeHash], ["ns", s => s.ns], ["command", s => s.command], ["kind", s => s.kind],
  ["routing", s => s.routing], ["reason", s => s.reason], ["missing", s => s.missing?.join(" ")], ["fields", s => s.fields?.join(" ")],
  ["shardKey", s => s.shardKey && JSON.stringify(s.shardKey)], ["suggestion", s => s.suggestion],
  ["count", s => s.count], ["errors", s => s.errors], ["refused", s => s.refused],
  ["fanoutMax", s => s.fanout?.max], ["fanoutMean", s => s.fanout?.mean], ["wastedShardRequests", s => s.wastedShardRequests],
  ...["total", "p50", "p95", "p99", "max"].map(name => [`durationMillis.${name}`, s => s.durationMillis?.[name]]),
  ["firstSeen", s => s.firstSeen], ["lastSeen", s => s.lastSeen], ["regressedAt", s => s.regressedAt],
  ["callers", s => (s.callers ?? []).map(each => `${each.count} x ${callerWords(each)}`).join("; ")],
  ["shape", s => s.shape && JSON.stringify(s.shape)],
];

// A spreadsheet would run a cell that begins like this as a formula.
const formulaBegins = /^[=+\-@\t\r]/;

function csvCell(value) {
  const text = String(value ?? "");
  const safe = formulaBegins.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csvOf(shapes) {
  const lines = [csvColumns.map(([name]) => name), ...shapes.map(shape => csvColumns.map(([, value]) => value(shape)))];
  return lines.map(cells => cells.map(csvCell).join(",") + "\r\n").join("");
}

export function jsonOf(shapes, view) {
  const rows = shapes.map(({own, ...row}) => row);
  const {q, show, sort, since} = view;
  return JSON.stringify({schemaVersion: 1, exportedAt: new Date(now()).toISOString(), view: {q, show, sort, since}, shapes: rows}, null, 1) + "\n";
}

// 20261123T050000Z
function fileTime() {
  return new Date(now()).toISOString().replace(/[-:]|\.\d+/g, "");
}

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  make("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const formats = {
  CSV: view => save(`scattergate-shapes-${fileTime()}.csv`, "text/csv;charset=utf-8", csvOf(chosen(view).rows)),
  JSON: view => save(`scattergate-shapes-${fileTime()}.json`, "application/json", jsonOf(chosen(view).rows, view)),
};

export function exportButtons(view) {
  return Object.entries(formats).map(([name, run]) => {
    const button = make("button", {type: "button"}, "Export " + name);
    button.addEventListener("click", () => run(view));
    return button;
  });
}
