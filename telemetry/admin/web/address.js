// What is looked at stands in the address, so that a link names a view.

const defaults = {
  q: "", show: "now", sort: "worst", since: "1h", shape: "", csort: "findings", keys: "on",
};

function readAddress() {
  const given = new URLSearchParams(location.search);
  const view = {};
  for (const [name, value] of Object.entries(defaults)) view[name] = (given.get(name) ?? value).slice(0, 200);
  return view;
}

// `isStep`: whether going back should lead to what was before.
function writeAddress(view, isStep) {
  const wanted = new URLSearchParams();
  for (const [name, value] of Object.entries(defaults)) {
    if (view[name] !== value) wanted.set(name, view[name]);
  }
  const text = wanted.toString();
  const address = location.pathname + (text ? "?" + text : "");
  if (address === location.pathname + location.search) return;
  history[isStep ? "pushState" : "replaceState"](null, "", address);
}

const spans = {"1h": 3600, "24h": 86400, "7d": 7 * 86400};

// The moment since which a shape is new; a word of `spans` or a time.
function momentOf(since, now) {
  if (spans[since]) return now - spans[since] * 1000;
  const time = Date.parse(since);
  return Number.isNaN(time) ? now - spans[defaults.since] * 1000 : time;
}
