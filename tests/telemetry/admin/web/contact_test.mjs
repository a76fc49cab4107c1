import assert from "node:assert/strict";
import test, {beforeEach} from "node:test";

import {failed, failureConditions, failures, keepInContact, late, lostContact, refused, silent, succeeded, unreadable} from "../../../../telemetry/admin/web/contact.js";
import {store} from "../../../../telemetry/admin/web/store.js";
import {forget, history, noon} from "./planted.mjs";

beforeEach(() => {
  forget();
  failures.clear();
});

const noonMillis = Date.parse(noon);

test("a failed request is a condition until it succeeds", () => {
  failed("history", refused(500, "Internal Server Error"), noonMillis);
  failed("history", silent(), noonMillis + 5000);
  assert.deepEqual(failureConditions(1000), [{
    active: true, severity: "warning", kind: "request", subject: "api/v1/history", message: "A request of this page failed", detail: "no connection",
    since: "2026-11-23T12:00:01.000Z", last: "2026-11-23T12:00:06.000Z", count: 2,
  }]);
  succeeded("history");
  assert.deepEqual(failureConditions(0), []);
});

test("without the status the contact is lost, which is no condition twice", () => {
  for (const [error, words] of [[silent(), "The daemon doesn't answer"], [late(10), "The daemon doesn't answer"], [refused(401, "Unauthorized"), "The daemon refuses to answer: 401 Unauthorized"],
    [unreadable(new TypeError("it has no audit")), /^The daemon refuses to answer: unexpected answer \(it has no audit\)$/]]) {
    failed("status", error, noonMillis);
    assert.match(lostContact(), words instanceof RegExp ? words : new RegExp(`^${words}$`));
    assert.deepEqual(failureConditions(0), []);
  }
  succeeded("status");
  assert.equal(lostContact(), "");
});

// A browser with a daemon behind it that answers as `answers` says.
const good = {
  status: {generatedAt: noon, listeners: [], catalog: {}, audit: {}, state: {}, config: {}}, shapes: {generatedAt: noon, shapes: []},
  collections: {generatedAt: noon, collections: [], totals: {}}, rules: {rules: []}, history: history(),
};

let stream = null;  // the first is kept for all tests, as the module keeps it
globalThis.document = {hidden: false, addEventListener() {}};
globalThis.EventSource = class {
  static CLOSED = 2;
  constructor() { stream = this; }
  addEventListener(name, take) { this.take = take; }
  close() {}
};

// Resolves when each of `good` has been asked for once.
async function askOnce(context, answers) {
  context.mock.method(globalThis, "setInterval", () => {});
  let left = Object.keys(good).length;
  await new Promise(done => {
    globalThis.fetch = async path => {
      const what = path.replace("api/v1/", "");
      const answer = answers[what] ?? (() => Response.json(good[what]));
      return answer();
    };
    keepInContact(() => { if (--left === 0) done(); });
  });
}

const broken = [
  ["no connection", () => { throw new TypeError("Failed to fetch"); }, /^no connection$/],
  ["a timeout", () => { throw new DOMException("late", "TimeoutError"); }, /^no answer within 10 seconds$/],
  ["an error of the server", () => new Response("", {status: 503, statusText: "Service Unavailable"}), /^503 Service Unavailable$/],
  ["a path that an older daemon hasn't", () => new Response("not found\n", {status: 404, statusText: "Not Found"}), /^404 Not Found$/],
  ["what is no JSON", () => new Response("<html>log in</html>"), /^unexpected answer \(.*JSON.*\)$/],
  ["half of an answer", () => new Response('{"generatedAt":"2026'), /^unexpected answer/],
  ["JSON of something else", () => Response.json({message: "log in"}), /^unexpected answer \(it has no /],
  ["JSON null", () => Response.json(null), /^unexpected answer \(it has no /],
];
for (const [name, answer, why] of broken) {
  for (const what of Object.keys(good)) {
    test(`${name} in place of ${what} is shown`, async context => {
      await askOnce(context, {[what]: answer});
      assert.deepEqual([...failures.keys()], [what]);
      assert.match(failures.get(what).why, why);
      assert.equal(lostContact() !== "", what === "status");
    });
  }
}

test("what all else is answered with is taken", async context => {
  await askOnce(context, {shapes: broken[2][1]});
  assert.ok(store.status && store.history && store.rules && store.totals);
});

test("events that are cut off, or can't be read, are shown until one can", async context => {
  await askOnce(context, {});
  stream.onerror();
  assert.match(failures.get("events").why, /^refused or interrupted/);
  stream.take({data: JSON.stringify({at: noon})});
  assert.equal(failures.size, 0);
  for (const data of ["", "{", "null", "7"]) {
    stream.take({data});
    assert.match(failures.get("events").why, /^unexpected answer/, data);
  }
  stream.take({data: JSON.stringify({at: noon})});
  assert.equal(failures.size, 0);
});
