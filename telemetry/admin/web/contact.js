// Asks the daemon: once for everything, then for its events; polls where events don't come.

const everyMillis = 5000;
const slowMillis = 60000;
const patienceMillis = 10000;

const contact = {mode: "asking", lost: ""};

class Refusal extends Error {}

async function ask(path) {
  const answer = await fetch("api/v1/" + path, {cache: "no-store", signal: AbortSignal.timeout(patienceMillis)});
  if (!answer.ok) throw new Refusal(`${answer.status} ${answer.statusText}`.trim());
  return answer.json();
}

function lostBy(error) {
  return error instanceof Refusal ? `The daemon refuses to answer: ${error.message}` : "The daemon doesn't answer";
}

// Only the status must be there: the page does without what an older daemon, or one with inspect off, doesn't answer.
async function askFor(path, take, redraw) {
  let answer = null;
  try {
    answer = await ask(path);
  } catch (error) {
    if (path === "status") contact.lost = lostBy(error);
    return;
  }
  if (path === "status") contact.lost = "";
  take(answer);
  redraw();
}

let asking = null;
let lastFull = 0;

// Everything, one time at once.
function refresh(redraw) {
  lastFull = Date.now();
  asking ??= Promise.all([
    askFor("status", takeStatus, redraw),
    askFor("shapes", takeShapes, redraw),
    askFor("collections", takeCollections, redraw),
    askFor("rules", answer => { store.rules = answer.rules; }, redraw),
    askFor("history", takeHistory, redraw),
  ]).finally(() => {
    asking = null;
    redraw();
  });
}

let events = null;

function hangUp() {
  events?.close();
  events = null;
  contact.mode = "asking";
}

function listen(redraw) {
  events = new EventSource("api/v1/events");
  events.addEventListener("now", event => {
    contact.mode = "live";
    contact.lost = "";
    const isNews = takeNow(JSON.parse(event.data));
    redraw();
    const age = Date.now() - lastFull;
    if ((isNews && age > 3000) || age > slowMillis) refresh(redraw);
  });
  events.onerror = () => {
    contact.mode = "asking";
    // Refused rather than cut: the browser doesn't try again, the page does.
    if (events?.readyState === EventSource.CLOSED) events = null;
    refresh(redraw);
  };
}

// A page in the background asks for nothing.
function keepInContact(redraw) {
  let tries = 0;
  const turn = () => {
    if (document.hidden) return;
    // A daemon that hangs keeps its connections.
    if (contact.mode === "live" && Date.now() - store.heardAt > patienceMillis) {
      hangUp();
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
