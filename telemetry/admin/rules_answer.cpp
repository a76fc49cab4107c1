#include "telemetry/admin/rules_answer.hpp"

#include <algorithm>
#include <cstdint>

#include "digest/object_writer.hpp"
#include "text/days.hpp"

namespace scattergate::telemetry {
namespace {

std::string hits_json(const rule_total* of) {
  std::string text;
  digest::object_writer json{text};
  for (std::size_t i = 0; of != nullptr && i < of->by_hit.size(); ++i) {
    if (of->by_hit[i] != 0) json.number(label(static_cast<rule_hit>(i)), of->by_hit[i]);
  }
  json.end();
  return text;
}

void append_rule(std::string& to, const config::rule& one, const rule_total* done) {
  digest::object_writer json{to};
  json.text_or_null("name", one.name);
  json.text_or_null("action", label(one.action));
  json.flag("dryRun", one.dry_run);
  json.text_or_null("until", one.until ? text::show_day(*one.until) : std::string{});
  json.text_or_null("why", one.why);
  json.text_or_null("by", one.by);
  json.text_or_null("writtenAt", one.written.where);
  json.raw("hits", hits_json(done));
  json.end();
}

}  // namespace

std::string rules_json(std::span<const config::rule> rules,
                       const std::vector<rule_total>& totals) {
  std::string to = R"({"schemaVersion":1,"rules":[)";
  for (const config::rule& one : rules) {
    if (to.back() == '}') to += ',';
    const auto done = std::ranges::find(totals, one.name, &rule_total::name);
    append_rule(to, one, done != totals.end() ? &*done : nullptr);
  }
  return to + "]}\n";
}

}  // namespace scattergate::telemetry
