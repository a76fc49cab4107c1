#include "telemetry/admin/rules_answer.hpp"

#include <algorithm>
#include <cstdint>

#include "config/options/rule_match.hpp"
#include "text/json_writer.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

void append_hits(text::json_writer& to, const rule_total* of) {
  to.object("hits");
  for (std::size_t i = 0; of != nullptr && i < of->by_hit.size(); ++i) {
    if (of->by_hit[i] != 0) to.number(label(static_cast<rule_hit>(i)), of->by_hit[i]);
  }
  to.end();
}

void append_rule(text::json_writer& to, const config::rule& one, const rule_total* done,
                 bool is_catalog_stale) {
  to.object();
  to.text_or_null("name", one.name);
  to.text_or_null("action", label(one.action));
  to.flag("dryRun", one.dry_run);
  to.flag("catalogStale", is_catalog_stale && config::asks_catalog(one.match));
  to.text_or_null("until", one.until ? text::show_day(*one.until) : std::string{});
  to.text_or_null("why", one.why);
  to.text_or_null("by", one.by);
  to.text_or_null("writtenAt", one.written.place);
  append_hits(to, done);
  to.end();
}

}  // namespace

std::string rules_json(std::span<const config::rule> rules,
                       const std::vector<rule_total>& totals, bool is_catalog_stale) {
  std::string text;
  text::json_writer json{text};
  json.object();
  json.number("schemaVersion", 1);
  json.array("rules");
  for (const config::rule& one : rules) {
    const auto done = std::ranges::find(totals, one.name, &rule_total::name);
    append_rule(json, one, done != totals.end() ? &*done : nullptr, is_catalog_stale);
  }
  json.end();
  json.end();
  return text + '\n';
}

}  // namespace scattergate::telemetry
