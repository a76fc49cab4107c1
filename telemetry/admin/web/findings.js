// The list of shapes and what chooses among them.

const shapesPart = {list: null, said: null, buttons: new Map(), filter: null, sort: null, since: null, open: "", linked: "", scrollTo: ""};

function choice(words, options, value, pick) {
  const made = make("select", {}, ...options.map(([name, said]) => make("option", {value: name}, said)));
  made.value = value;
  made.addEventListener("change", () => pick(made.value));
  return {made, label: make("label", {}, words + " ", made)};
}

function sinceOptions(view) {
  const options = [["1h", "the last hour"], ["24h", "the last 24 hours"], ["7d", "the last 7 days"]];
  if (!spans[view.since] && !Number.isNaN(Date.parse(view.since))) options.push([view.since, view.since.replace("T", " ").replace(/\.\d+Z$/, " UTC")]);
  return [...options, ["mark", "from this moment on"]];
}

function buildSince(view, change) {
  const since = choice("New since", sinceOptions(view), view.since, value =>
    change({since: value === "mark" ? new Date(now()).toISOString() : value}));
  shapesPart.since?.replaceWith(since.label);
  shapesPart.since = since.label;
  shapesPart.sinceOf = view.since;
  return since.label;
}

function buildTools(view, change) {
  const filter = make("input", {type: "search", id: "filter", autocomplete: "off", spellcheck: "false", placeholder: "collection, field, caller …"});
  filter.value = view.q;
  filter.addEventListener("input", () => change({q: filter.value}));
  const sort = choice("Order", Object.entries(orders).map(([name, of]) => [name, of.words]), view.sort, value => change({sort: value}, true));
  shapesPart.filter = filter;
  shapesPart.sort = sort.made;
  const buttons = make("div", {class: "views", role: "group", "aria-label": "Which shapes"});
  for (const each of views) {
    const button = make("button", {type: "button", title: each.title});
    button.addEventListener("click", () => change({show: each.name, shape: ""}, true));
    shapesPart.buttons.set(each.name, button);
    buttons.append(button);
  }
  return make("div", {class: "tools"}, buttons,
    make("div", {class: "fields"}, make("label", {for: "filter"}, "Filter "), filter, sort.label, buildSince(view, change)));
}

function buildFindings(view, change) {
  const body = document.querySelector("#findings > div");
  const list = make("ol", {class: "list"});
  shapesPart.list = list;
  shapesPart.said = make("p", {class: "dim", role: "status"});
  shapesPart.title = document.querySelector("#findings > h2");
  // Known before the browser opens or closes it, so that nothing painted meanwhile undoes it.
  list.addEventListener("click", event => {
    const clicked = event.target.closest("summary")?.parentElement;
    if (!clicked) return;
    shapesPart.open = clicked.open ? "none" : clicked.parentElement.shape.shapeHash;
    for (const each of list.querySelectorAll("details[open]")) if (each !== clicked) each.open = false;
    change({shape: shapesPart.open}, true);
  });
  list.addEventListener("toggle", event => {
    const hash = event.target.closest("li").shape.shapeHash;
    const isOurs = event.target.open === (hash === shapesPart.open);  // and not the browser's, which found words in it
    if (!isOurs) change({shape: event.target.open ? hash : "none"}, true);
  }, true);
  body.replaceChildren(buildTools(view, change), shapesPart.said, list);
}

// While somebody reads the list, rows don't change places under the pointer or the cursor.
function isRead(list) {
  return list.matches(":hover") || list.contains(document.activeElement);
}

function keepOrder(list, shown) {
  const places = new Map([...list.children].map((row, at) => [shapeKey(row.shape), at]));
  const placeOf = shape => places.get(shapeKey(shape)) ?? Infinity;
  return shown.map((shape, at) => [shape, at]).sort((a, b) => (placeOf(a[0]) - placeOf(b[0]) || 0) || a[1] - b[1]).map(pair => pair[0]);
}

function saidOf(result, view) {
  const {shown, all, picked} = result;
  if (all === 0) {
    if (view.q) return `Nothing here has “${view.q}”.`;
    return view.show === "now" ? "No finding: no command asks every shard that needn't." : "None.";
  }
  const cut = all > shown.length ? `, the first ${number(shown.length)} of ${number(all)}: the filter finds the others` : "";
  const left = store.leftOut ? `; the daemon left out ${number(store.leftOut)} cheaper ones` : "";
  return `${picked.title}, ${(orders[view.sort] ?? orders.worst).words}${cut}${left}.`;
}

// What a link names is shown, wherever it belongs by now; the worst is open until somebody chooses.
function findOpen(view, result) {
  const has = hash => result.shown.some(shape => shape.shapeHash === hash);
  if (view.shape) return view.shape;
  return has(shapesPart.open) ? shapesPart.open : result.shown[0]?.shapeHash ?? "";
}

function showLinked(view) {
  if (shapesPart.linked === view.shape || store.shapes.size === 0) return;
  shapesPart.linked = view.shape;
  const shape = [...store.shapes.values()].find(each => each.shapeHash === view.shape);
  if (!shape) return;
  note(shape, momentOf(view.since, now()));
  const shown = views.find(each => each.name === view.show);
  if (!shown?.has(shape)) view.show = views.find(each => each.has(shape)).name;
  shapesPart.scrollTo = shapeKey(shape);
}

function* paintFindings(items) {
  yield* paintList(shapesPart.list, items, shapeKey, (shape, old) => drawShape(shape, old, shape.shapeHash === shapesPart.open));
  const row = shapesPart.list.painted?.get(shapesPart.scrollTo);
  if (row) row.scrollIntoView({block: "nearest"});
  shapesPart.scrollTo = "";
}

function drawFindings(view, mayReorder) {
  showLinked(view);
  const result = chosen(view);
  for (const each of views) {
    const button = shapesPart.buttons.get(each.name);
    const words = `${each.words} ${number(result.counts[each.name])}`;
    if (button.textContent !== words) button.textContent = words;
    button.setAttribute("aria-pressed", String(each === result.picked));
  }
  const said = plain(saidOf(result, view));
  if (shapesPart.said.textContent !== said) shapesPart.said.textContent = said;
  shapesPart.open = findOpen(view, result);
  const items = !mayReorder && isRead(shapesPart.list) ? keepOrder(shapesPart.list, result.shown) : result.shown;
  paint("findings", paintFindings(items));
  return result;
}
