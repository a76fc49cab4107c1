import assert from "node:assert/strict";
import test from "node:test";

import {ago, durationWords, millis, number, percent, plain, plainLines, plural, rate, span, timeWords} from "../../../../telemetry/admin/web/text.js";

function table(name, of, rows) {
  test(name, () => {
    for (const [given, expected] of rows) assert.equal(of(...[given].flat()), expected, JSON.stringify(given));
  });
}

table("what can't be seen is escaped", plain, [["a\u202eb", "a\\u202eb"], ["\u0007\n", "\\u0007\\u000a"], ["é ✓", "é ✓"], [null, ""], [undefined, ""], [0, "0"]]);
table("lines stay lines", plainLines, [["a\nb\u0000", "a\nb\\u0000"]]);
table("numbers have commas, and unknown ones a question mark", number, [[1234567, "1,234,567"], [0, "0"], [null, "?"], [undefined, "?"]]);
table("one is singular", plural, [[[1, "shard"], "1 shard"], [[0, "shard"], "0 shards"], [[2, "query", "queries"], "2 queries"]]);
table("a share has as many digits as it needs", percent,
  [[[1, 2], "50 %"], [[1, 50], "2.0 %"], [[1, 2000], "0.05 %"], [[0, 9], "0 %"], [[3, 0], "–"], [[3, null], "–"]]);
table("a rate is by second, minute or hour", rate,
  [[12345.6, "12,346/s"], [1.26, "1.3/s"], [0.05, "3.0/min"], [0.001, "3.6/h"], [0, "0/s"], [null, "–"], [undefined, "–"]]);
table("a duration has its unit", millis, [[0.25, "250 µs"], [4.25, "4.3 ms"], [250.4, "250 ms"], [4200, "4.2 s"], [null, "–"]]);
table("a span is as long as it reads", span,
  [[9.96, "10.0 s"], [119, "119 s"], [120, "2 min"], [3599, "59 min"], [11100, "3 h 5 min"], [48 * 3600, "2 d 0 h"]]);
table("what follows \"the last\"", durationWords, [[3600, "hour"], [7200, "2 hours"], [60, "minute"], [5400, "90 minutes"], [90, "90 seconds"], [1, "second"]]);
table("how long ago", ago, [
  [["2026-11-23T12:00:00Z", Date.parse("2026-11-23T12:00:01Z")], "now"], [["2026-11-23T12:00:00Z", Date.parse("2026-11-23T12:01:30Z")], "90 s ago"],
  [["2026-11-23T12:00:00Z", Date.parse("2026-11-23T13:00:00Z")], "60 min ago"], [["2026-11-23T12:00:00Z", Date.parse("2026-11-25T13:00:00Z")], "2 d ago"],
  [["yesterday", 0], "–"],
]);
table("a time is in UTC", timeWords, [[Date.parse("2026-11-23T05:00:00.250Z"), "2026-11-23 05:00:00 UTC"]]);
