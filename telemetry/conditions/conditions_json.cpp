#include "telemetry/conditions/conditions_json.hpp"

namespace scattergate::telemetry {
namespace {

void append_condition(text::json_writer& json, const condition& of) {
  const condition_rules& rules = rules_of(of.kind);
  const condition_line& line = rules.begins;
  json.object();
  json.number("id", static_cast<std::uint64_t>(line.id));
  json.text("severity", severity_label(of.kind));
  json.text("kind", label(of.kind));
  json.text("subject", of.subject);
  json.text_or_null("listener", of.listener);
  json.text("message", line.message);
  json.text("detail", of.detail);
  json.text("whatToDo", rules.what_to_do);
  json.text("runbook", "runbook#" + std::string{rules.runbook});
  json.time("since", of.since);
  json.time("last", of.last);
  json.number("count", of.count);
  json.flag("active", of.active);
  json.end();
}

}  // namespace

void append_conditions(text::json_writer& to, const std::vector<condition>& all) {
  to.array();
  for (const condition& each : all) append_condition(to, each);
  to.end();
}

}  // namespace scattergate::telemetry
