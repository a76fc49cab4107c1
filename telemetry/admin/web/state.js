// How the daemon is: what is wrong with it, what it stands on, its rules.

const severities = ["fatal", "error", "warning", "info"];

function conditionItem(each) {
  const time = now();
  return make("li", {class: each.active ? "condition " + each.severity : "condition over"},
    make("b", {}, each.active ? each.severity : "over"), " ",
    make("span", {}, each.kind.replace(/_/g, " ")), each.subject ? [": ", make("code", {}, each.subject)] : "",
    each.detail ? make("span", {}, " – " + each.detail) : "",
    make("span", {class: "dim"}, " since ", timeElement(each.since, time), each.count > 1 ? `, ${number(each.count)} times, last ` : "",
      each.count > 1 ? timeElement(each.last, time) : "", `; log id ${each.id}`));
}

function pageConditions() {
  const told = [];
  if (contact.lost) {
    told.push(make("li", {class: "condition error"}, make("b", {}, "error"), " " + contact.lost, " What stands below is from ",
      timeElement(store.heardAt ? new Date(store.heardAt).toISOString() : "", Date.now()), "."));
  }
  const status = store.status;
  if (status && !status.ready) told.push(make("li", {class: "condition error"}, make("b", {}, "error"), " not ready: ", status.reason ?? ""));
  return told;
}

function drawWrong() {
  if (!store.status && !contact.lost) return;
  const all = [...(store.status?.conditions ?? [])];
  all.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.since.localeCompare(a.since));
  const active = [...pageConditions(), ...all.filter(each => each.active).map(conditionItem)];
  const over = all.filter(each => !each.active).map(conditionItem);
  const body = document.querySelector("#wrong > div");
  const wanted = make("div", {},
    active.length ? make("ul", {class: "conditions"}, active) : make("p", {class: "fine"}, "Nothing is wrong with scattergate itself."),
    over.length ? make("details", {}, make("summary", {}, `${number(over.length)} over within the last hour`), make("ul", {class: "conditions"}, over)) : null);
  const open = body.querySelector("details")?.open;
  if (body.textContent === wanted.textContent) return;
  if (open) wanted.querySelector("details")?.setAttribute("open", "");
  body.replaceChildren(...wanted.childNodes);
  return active.length;
}

function mark(isFine, words) {
  return make("span", {class: isFine ? "mark fine" : "mark bad"}, (isFine ? "✓ " : "✗ ") + words);
}

function listenerFacts(listener) {
  const upstreams = listener.upstreams.map(each => [each.active ? make("b", {}, each.address) : each.address, " ",
    each.up === null ? "" : mark(each.up, each.up ? "answers" : "doesn't answer"), " "]);
  const ends = listener.certificateExpiresAt;
  const waits = listener.clientsWaiting;
  return fact(listener.address, "→ ", upstreams, listener.failovers ? plural(listener.failovers, "failover") : "",
    waits ? [" ", plural(waits, "client"), ` waiting for a reply, up to ${span(listener.longestWaitMillis / 1000)}`] : "",
    ends ? [" ", mark(Date.parse(ends) > now(), "certificate until " + ends.slice(0, 10))] : "");
}

function standsOn(status) {
  const time = now();
  const {catalog, audit, config, state} = status;
  const isKnown = ["file", "live"].includes(catalog.state);
  return make("dl", {},
    ...status.listeners.flatMap(listenerFacts),
    ...fact("Catalog", mark(isKnown, catalog.state), ` ${catalog.source}, ${plural(catalog.collections, "collection")}, ${plural(catalog.chunks, "chunk")}, rules of MongoDB ${catalog.version}, loaded `,
      timeElement(catalog.loadedAt, time), catalog.loadFailures ? `, ${plural(catalog.loadFailures, "failed load")}` : ""),
    ...fact("Audit log", mark(!audit.failing && audit.lost === 0, audit.failing ? "failing" : audit.lost ? "findings lost" : "written"),
      ` ${audit.file}, ${plural(audit.lines, "line")}, ${number(audit.outstanding)} outstanding`, audit.lost ? `, ${number(audit.lost)} lost` : ""),
    ...fact("Configuration", mark(config.lastReloadSuccessful, config.lastReloadSuccessful ? "in use" : "last reload failed"),
      ` ${config.file ?? "flags and environment"}, loaded `, timeElement(config.loadedAt, time)),
    ...fact("State file", state.file ? [mark(state.writeFailures === 0, state.writeFailures ? plural(state.writeFailures, "failed write") : "written"), " " + state.file] : "none: counts begin anew with the process"),
    ...fact("Connections", plural(status.connections, "client connection") + `, ${plural(status.workers, "worker")}`));
}

function drawState() {
  const status = store.status;
  if (!status) return;
  const words = [`Version ${status.version}`, status.ready ? "ready" : "not ready", `up ${span(Math.max(0, (now() - Date.parse(status.startedAt)) / 1000))}`].join(", ");
  const live = contact.lost ? "out of contact" : contact.mode === "live" ? "live" : "asks each 5 s";
  const head = document.querySelector("#state");
  const wanted = make("p", {}, words + " ", make("span", {class: contact.lost ? "mark bad" : "mark fine"}, live));
  if (head.textContent !== wanted.textContent) head.replaceChildren(wanted);
  const body = part("stands", "What it stands on");
  const facts = standsOn(status);
  if (body.textContent !== facts.textContent) body.replaceChildren(facts);
}

// A section that the server doesn't write; its body.
function part(id, words) {
  let made = document.getElementById(id);
  if (!made) {
    made = make("section", {id}, make("h2", {}, words), make("div", {}));
    document.querySelector("main").append(made);
  }
  return made.lastElementChild;
}
