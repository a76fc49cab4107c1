// The overall state, in one line at the top and in the tab's title. Lost contact takes precedence.

import {make, refill} from "./elements.js";
import {lostContact} from "./failures.js";
import {store} from "./store.js";
import {plain} from "./text.js";

const levels = ["ok", "warning", "scattering", "degraded", "down"];
const plainTitle = "scattergate: what is wrong right now";

export function headlineNow() {
  const lost = lostContact();
  return lost ? {level: "down", text: lost} : store.status?.headline ?? null;
}

// A line at the top; `put` inserts it if the server hasn't rendered it.
function topLine(id, put) {
  let made = document.getElementById(id);
  if (!made) {
    made = make("p", {id});
    put(made);
  }
  return made;
}

export function drawHeadline(ignored) {
  const headline = topLine("headline", made => document.querySelector("header").prepend(made));
  const shown = headlineNow();
  headline.hidden = !shown;
  if (shown) {
    headline.className = levels.includes(shown.level) ? shown.level : "degraded";
    refill(headline, shown.text);
  }
  document.querySelector("main").classList.toggle("stale", Boolean(lostContact()));
  document.title = shown ? `${plain(shown.text)} - scattergate` : plainTitle;
  const line = topLine("ignored", made => headline.after(made));
  line.hidden = ignored.length === 0;
  refill(line, ignored.length ? `Ignored: ${ignored.join(", ")}` : "");
}
