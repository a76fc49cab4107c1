#include "telemetry/conditions/conditions_json.hpp"

#include "digest/object_writer.hpp"
#include "text/time_text.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

constexpr wire::label_table<log::severity> severity_words{{
    {log::severity::debug, "debug"},
    {log::severity::info, "info"},
    {log::severity::warning, "warning"},
    {log::severity::error, "error"},
    {log::severity::fatal, "fatal"},
}};

void append_json(std::string& to, const condition& of) {
  const condition_rules& rules = rules_of(of.kind);
  const condition_line& line = rules.begins;
  digest::object_writer json{to};
  json.number("id", static_cast<std::uint64_t>(line.id));
  json.text("severity", severity_words[line.severity]);
  json.text("kind", label(of.kind));
  json.text("subject", of.subject);
  json.text_or_null("listener", of.listener);
  json.text("message", line.message);
  json.text("detail", of.detail);
  json.text("whatToDo", rules.what_to_do);
  json.text("runbook", "runbook#" + std::string{rules.runbook});
  json.text("since", text::time_text(of.since));
  json.text("last", text::time_text(of.last));
  json.number("count", of.count);
  json.flag("active", of.active);
  json.end();
}

}  // namespace

std::string conditions_json(const std::vector<condition>& all) {
  std::string json = "[";
  for (const condition& each : all) {
    if (json.size() > 1) json += ',';
    append_json(json, each);
  }
  return json + ']';
}

}  // namespace scattergate::telemetry
