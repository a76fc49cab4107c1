// The table of rules and their hits.

import {make, part} from "./elements.js";
import {store} from "./store.js";
import {number} from "./text.js";

function ruleRow(rule) {
  const hits = Object.entries(rule.hits).map(([name, count]) => `${name.replace(/_/g, " ")} ${number(count)}`).join(", ");
  return make("tr", {},
    make("th", {scope: "row"}, rule.name ?? "(without a name)"),
    make("td", {}, rule.action + (rule.dryRun ? " (dry run)" : "")),
    make("td", {}, hits || "none"),
    make("td", {}, rule.until ?? ""),
    make("td", {}, [rule.why, rule.by].filter(Boolean).join(" – ")),
    make("td", {class: "dim"}, rule.writtenAt ?? ""));
}

export function drawRules() {
  if (!store.rules) return;
  const body = part("rules", "Rules, in order of evaluation");
  const said = JSON.stringify(store.rules);
  if (body.said === said) return;
  body.said = said;
  if (store.rules.length === 0) {
    body.replaceChildren(make("p", {}, "No rules: every scatter_gather on a sharded collection is a finding."));
    return;
  }
  const heads = ["rule", "action", "hits", "until", "why, by", "written at"].map(words => make("th", {scope: "col"}, words));
  body.replaceChildren(make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Rules"},
    make("table", {}, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, store.rules.slice(0, 500).map(ruleRow)))));
}
