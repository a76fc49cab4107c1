// Asking the daemon: once for everything, then its events; where there are none, gently again
// and again.

const everyMillis = 5000;
const slowMillis = 60000;

const contact = {mode: "asking", lost: ""};

async function ask(path) {
  const answer = await fetch("api/v1/" + path, {cache: "no-store"});
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

// What an older daemon, or one with inspect off, doesn't answer isn't shown, and nothing else suffers.
async function askFor(path, take, redraw) {
  try {
    take(await ask(path));
    contact.lost = "";
  } catch (error) {
    if (error instanceof TypeError) contact.lost = "The daemon doesn't answer.";
    return;
  }
  redraw(path);
}

function askAll(redraw) {
  return Promise.all([
    askFor("status", takeStatus, redraw),
    askFor("shapes", takeShapes, redraw),
    askFor("collections", takeCollections, redraw),
    askFor("rules", answer => { store.rules = answer.rules; }, redraw),
    askFor("history", answer => { store.history = answer; }, redraw),
  ]);
}

let events = null;
let lastFull = 0;

function listen(redraw) {
  events = new EventSource("api/v1/events");
  events.addEventListener("now", event => {
    contact.mode = "live";
    contact.lost = "";
    const isNews = takeNow(JSON.parse(event.data));
    redraw("now");
    const age = Date.now() - lastFull;
    if ((isNews && age > 3000) || age > slowMillis) refresh(redraw);
  });
  events.onerror = () => {
    contact.mode = "asking";
    // Refused rather than cut: the browser doesn't try again, and so do we, gently.
    if (events.readyState === EventSource.CLOSED) events = null;
    redraw("contact");
  };
}

function refresh(redraw) {
  lastFull = Date.now();
  return askAll(redraw);
}

// Nobody looks at a page in the background.
function keepInContact(redraw) {
  let tries = 0;
  const turn = () => {
    if (document.hidden) return;
    if (contact.mode !== "live") refresh(redraw).then(() => redraw("contact"));
    if (!events && tries++ % 12 === 0) listen(redraw);
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      events?.close();
      events = null;
      contact.mode = "asking";
    } else {
      tries = 0;
      turn();
    }
  });
  setInterval(turn, everyMillis);
  turn();
}
