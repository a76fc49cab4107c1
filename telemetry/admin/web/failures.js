// Requests to the daemon that failed, and haven't succeeded since.

import {plural} from "./text.js";

export const failures = new Map();  // by request: {why, isRefusal, since, last, count}, times in milliseconds

// The reason for a failed request, in words. `isRefusal`: the daemon replied with an error or with something else.
class RequestError extends Error {
  constructor(why, isRefusal) {
    super(why);
    this.isRefusal = isRefusal;
  }
}

export const silent = () => new RequestError("no connection", false);
export const late = seconds => new RequestError(`no answer within ${plural(seconds, "second")}`, false);
export const cutOff = () => new RequestError("refused or interrupted: polling instead", false);
export const refused = (status, words) => new RequestError(`${status} ${words}`.trim(), true);
export const unreadable = error => new RequestError(`unexpected answer (${error.message})`, true);

export function failed(what, {message, isRefusal}, time) {
  const before = failures.get(what);
  failures.set(what, {why: message, isRefusal, since: before?.since ?? time, last: time, count: (before?.count ?? 0) + 1});
}

export function succeeded(what) {
  failures.delete(what);
}

// The failure of the status request; empty while it succeeds.
export function lostContact() {
  const status = failures.get("status");
  if (!status) return "";
  return status.isRefusal ? `The daemon refuses to answer: ${status.why}` : "The daemon doesn't answer";
}

// The other failures, in the API's format of conditions; `clock`: the daemon's time minus ours.
export function failureConditions(clock) {
  const timeOf = millis => new Date(millis + clock).toISOString();
  return [...failures].filter(([what]) => what !== "status").map(([what, {why, since, last, count}]) => ({
    active: true, severity: "warning", kind: "request", subject: `api/v1/${what}`, message: "A request of this page failed", detail: why,
    since: timeOf(since), last: timeOf(last), count,
  }));
}
