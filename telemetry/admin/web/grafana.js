// Links to Grafana, if the configuration has a template for them.

import {make} from "./elements.js";
import {ranges} from "./history.js";
import {now, store} from "./store.js";

const places = /\{(db|collection|command|shape|from|to)\}/g;

export function grafanaAddress(template, {ns, command = "", shapeHash = ""}, view) {
  const dot = ns.indexOf(".");
  const to = Math.round(now());
  const values = {
    db: dot < 0 ? ns : ns.slice(0, dot), collection: dot < 0 ? "" : ns.slice(dot + 1), command, shape: shapeHash,
    from: to - ranges[view.range].seconds * 1000, to,
  };
  return template.replace(places, (_, name) => encodeURIComponent(values[name]));
}

function isWebAddress(text) {
  try {
    return ["http:", "https:"].includes(new URL(text, location.href).protocol);
  } catch {
    return false;
  }
}

// A link for a collection or a shape, over the chosen range up to the time of the click; nothing without a
// template.
export function grafanaLink(of, view) {
  const template = store.status?.grafanaLink;
  if (!template || !isWebAddress(grafanaAddress(template, of, view))) return null;
  const link = make("a", {target: "_blank", rel: "noopener", "aria-label": `Grafana: ${[of.command, of.ns].filter(Boolean).join(" ")}`}, "Grafana");
  const aim = () => { link.href = grafanaAddress(template, of, view); };
  for (const event of ["pointerdown", "focus", "click"]) link.addEventListener(event, aim);
  aim();
  return link;
}
