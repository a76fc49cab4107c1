// Requests everything from the daemon once, then its events; polls if no events arrive.

import {cutOff, failed, failures, late, refused, silent, succeeded, unreadable} from "./failures.js";
import {store, takeCollections, takeHistory, takeNow, takeRules, takeShapes, takeStatus} from "./store.js";

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
