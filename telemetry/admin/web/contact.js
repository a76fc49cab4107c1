// The requests to the daemon: everything once, then its events; polls if no events arrive. Records requests that fail.

import {store, takeCollections, takeHistory, takeNow, takeRules, takeShapes, takeStatus} from "./store.js";
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
const cutOff = () => new RequestError("refused or interrupted: polling instead", false);
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

const everyMillis = 5000;
const slowMillis = 60000;
const patienceMillis = 10000;

export const contact = {mode: "asking"};

async function reach(path) {
  try {
    return await fetch("api/v1/" + path, {cache: "no-store", signal: AbortSignal.timeout(patienceMillis)});
  } catch (error) {
    throw whyNot(error);
  }
}

function whyNot(error) {
  return error.name === "TimeoutError" ? late(patienceMillis / 1000) : silent();
}

// Reading the body can fail like the request itself; invalid JSON throws SyntaxError.
async function ask(path) {
  const answer = await reach(path);
  if (!answer.ok) throw refused(answer.status, answer.statusText);
  try {
    return await answer.json();
  } catch (error) {
    throw error instanceof SyntaxError ? unreadable(error) : whyNot(error);
  }
}

function takeAs(take, answer) {
  try {
    return take(answer);
  } catch (error) {
    throw unreadable(error);
  }
}

// If a request fails, the page continues without it and says so.
async function askFor(path, take, redraw) {
  try {
    takeAs(take, await ask(path));
    succeeded(path);
  } catch (error) {
    failed(path, error, Date.now());
  }
  redraw();
}

let asking = null;
let lastFull = 0;

// Fetches everything once, in parallel.
function refresh(redraw) {
  lastFull = Date.now();
  asking ??= Promise.all([
    askFor("status", takeStatus, redraw),
    askFor("shapes", takeShapes, redraw),
    askFor("collections", takeCollections, redraw),
    askFor("rules", takeRules, redraw),
    askFor("history", takeHistory, redraw),
  ]).finally(() => {
    asking = null;
  });
}

let events = null;

function hangUp() {
  events?.close();
  events = null;
  contact.mode = "asking";
}

function takeEvent(text, redraw) {
  const isBack = contact.mode !== "live";
  contact.mode = "live";
  let isNews = false;
  try {
    isNews = takeAs(takeNow, takeAs(JSON.parse, text));
    succeeded("events");
  } catch (error) {
    failed("events", error, Date.now());
  }
  redraw();
  const age = Date.now() - lastFull;
  if ((isNews && age > 3000) || age > slowMillis || (failures.size > 0 && (isBack || age > everyMillis))) refresh(redraw);
}

function listen(redraw) {
  events = new EventSource("api/v1/events");
  events.addEventListener("now", event => takeEvent(event.data, redraw));
  events.onerror = () => {
    contact.mode = "asking";
    failed("events", cutOff(), Date.now());
    // A refusal, not a broken connection: the browser doesn't retry, so the page does.
    if (events?.readyState === EventSource.CLOSED) events = null;
    redraw();
    refresh(redraw);
  };
}

// A page in the background sends no requests.
export function keepInContact(redraw) {
  let tries = 0;
  const turn = () => {
    if (document.hidden) return;
    // A daemon that hangs doesn't close its connections.
    if (contact.mode === "live" && Date.now() - store.heardAt > patienceMillis) {
      hangUp();
      failed("events", late(patienceMillis / 1000), Date.now());
      tries = 0;
    }
    if (contact.mode !== "live") refresh(redraw);
    if (!events && tries++ % 12 === 0) listen(redraw);
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hangUp();
    } else {
      tries = 0;
      turn();
    }
  });
  setInterval(turn, everyMillis);
  turn();
}
