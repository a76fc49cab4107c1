#include "report/views/report_sarif.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <boost/json.hpp>

#include "report/views/baseline_text.hpp"
#include "report/views/ci_findings.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/metrics/build_info.hpp"
#include "text/percent.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

namespace json = boost::json;

/// GitHub's limit for results in a file.
constexpr std::size_t most_results = 5'000;

struct brief_row {
  routing::cause why;
  std::string_view brief;
};

constexpr brief_row briefs[] = {
    {routing::reason::missing_key, "The filter bounds no field of the shard key."},
    {routing::reason::not_prefix,
     "The filter bounds later fields of the shard key, but not the first."},
    {routing::reason::range_on_hashed, "The filter has only a range on a hashed first field."},
    {routing::reason::unbounded_or, "A branch of an $or doesn't bound the shard key."},
    {routing::reason::negation, "The filter only excludes shard key values."},
    {routing::reason::collation,
     "The collation isn't simple, so strings don't narrow the shards."},
    {routing::reason::no_leading_match, "The pipeline doesn't begin with a $match."},
    {routing::reason::write_without_key,
     "The filter of a write to one document lacks equality on the shard key."},
    {routing::reason::foreign_scatter,
     "The pipeline reads a joined collection on every shard."},
    {routing::reason::not_indexable, "An operator on the shard key gives no bounds."},
    {routing::reason::refused, "mongos or a shard rejects the command."},
    {routing::lint_kind::shard_key_update,
     "The command changes a shard key field in a way that mongos or a shard rejects."},
    {routing::lint_kind::unique_index_without_key,
     "The unique index doesn't begin with the shard key."},
};

/// The explanation of a reason why commands scatter (ask all shards) or fail, in one sentence.
std::string_view brief_of(routing::cause why) noexcept {
  const auto* const known =
      std::ranges::find_if(briefs, [&](const brief_row& one) { return one.why == why; });
  return known != std::end(briefs) ? known->brief
                                   : "The command asks every shard of its collection.";
}

/// What to do depends on the command: routing::suggestion() is in each result's message.
constexpr std::string_view see_message = "The message of each result says what to do.";

json::object text_of(std::string_view text) {
  return {{"text", text::to_plain(text)}};
}

json::array rules_json(const std::vector<routing::cause>& rules) {
  json::array made;
  for (const routing::cause why : rules) {
    const std::string_view brief = brief_of(why);
    json::object rule{{"id", label(why)}};
    rule["name"] = label(why);
    rule["shortDescription"] = text_of(brief);
    rule["fullDescription"] =
        text_of(std::string{brief} + (is_error(why) ? " The application gets an error."
                                                    : " mongos asks every shard."));
    rule["help"] = {{"text", see_message}, {"markdown", see_message}};
    rule["defaultConfiguration"] = {{"level", "error"}};
    rule["properties"] = {{"tags", json::array{"mongodb", "sharding", "performance"}}};
    made.push_back(std::move(rule));
  }
  return made;
}

/// Writes one SARIF run.
class run_writer {
 public:
  explicit run_writer(const report_model& of) : of_(of) {}

  json::object made() {
    for (const ci_finding& one : findings_of(of_)) {
      for (const ci_site& site : sites_of(one)) add(one, site);
    }
    if (of_.against != nullptr) {
      for (const config::accepted_shape* one : of_.against->absent()) add_absent(*one);
    }
    json::object driver{{"name", "scattergate"}};
    driver["semanticVersion"] = telemetry::this_build().version;
    driver["rules"] = rules_json(rules_);
    json::object run;
    run["tool"] = {{"driver", std::move(driver)}};
    run["columnKind"] = "utf16CodeUnits";
    run["results"] = std::move(results_);
    if (left_out_ != 0) run["properties"] = {{"resultsLeftOut", left_out_}};
    return run;
  }

 private:
  std::size_t rule_number(routing::cause why) {
    const auto known = std::ranges::find(rules_, why);
    const auto number = static_cast<std::size_t>(known - rules_.begin());
    if (known == rules_.end()) rules_.push_back(why);
    return number;
  }

  static json::array locations_of(const digest::row& row, const source_place* at) {
    json::object location;
    // Code hosts refuse the file if a result has no physical location.
    location["physicalLocation"] = {
        {"artifactLocation", {{"uri", uri_of(at == nullptr ? no_path : at->path)}}},
        {"region", {{"startLine", at == nullptr ? 1U : at->line}}}};
    location["logicalLocations"] = json::array{
        {{"fullyQualifiedName", text::to_plain(row.name_space())}, {"kind", "resource"}}};
    return {std::move(location)};
  }

  /// Escapes a path by RFC 3986.
  static std::string uri_of(std::string_view path) {
    std::string uri;
    while (!path.empty()) {
      const std::size_t end = std::min(path.find_first_of("/+@,"), path.size());
      uri += text::percent_encoded(path.substr(0, end));
      if (end != path.size()) uri += path[end];
      path.remove_prefix(std::min(end + 1, path.size()));
    }
    return uri;
  }

  json::object result(const digest::row& row, std::string_view state,
                      std::size_t number_in_file = 1) {
    json::object made{{"ruleId", label(row.what.why)}};
    made["ruleIndex"] = rule_number(row.what.why);
    made["level"] = "error";
    const std::string hash = routing::shape_hash_text(row.shape_hash);
    // GitHub's key for recognising a result again.
    made["partialFingerprints"] = {
        {"scattergateShape/v1", hash},
        {"primaryLocationLineHash", hash + ":" + std::to_string(number_in_file)}};
    made["baselineState"] = state;
    made["properties"] = {{"namespace", text::to_plain(row.name_space())},
                          {"command", text::to_plain(row.command)},
                          {"count", row.count}};
    return made;
  }

  bool has_room() {
    if (results_.size() < most_results) return true;
    ++left_out_;
    return false;
  }

  void add(const ci_finding& one, const ci_site& site) {
    if (!has_room()) return;
    json::object made =
        result(*one.of, one.is_accepted() ? "unchanged" : "new", site.number_in_file);
    made["message"] = text_of(headline(*one.of) + ". " + message(of_, site));
    if (const std::string test = test_of(site); !test.empty()) {
      made["properties"].as_object()["test"] = text::to_plain(test);
    }
    made["locations"] = locations_of(*one.of, site.at);
    made["suppressions"] = json::array{};
    if (one.is_accepted()) {
      const config::accepted_shape* const entry = of_.against->entry_of(*one.of);
      json::object suppression{{"kind", "external"}, {"status", "accepted"}};
      std::string why = entry == nullptr ? state_text(*of_.against, *one.of) : entry->why;
      if (entry != nullptr && !entry->by.empty())
        why += (why.empty() ? "by " : " (") + entry->by + (why.empty() ? "" : ")");
      if (!why.empty()) suppression["justification"] = text::to_plain(why);
      made["suppressions"] = json::array{std::move(suppression)};
    }
    results_.push_back(std::move(made));
  }

  void add_absent(const config::accepted_shape& one) {
    if (!has_room()) return;
    const digest::row row = row_of(one);
    json::object made = result(row, "absent");
    made["message"] = text_of(absent_headline(one));
    made["level"] = "note";
    const auto at = place_of_namespace(of_, row);
    made["locations"] = locations_of(row, at ? &*at : nullptr);
    made["suppressions"] = json::array{{{"kind", "external"}, {"status", "accepted"}}};
    results_.push_back(std::move(made));
  }

  const report_model& of_;
  std::vector<routing::cause> rules_;
  json::array results_;
  std::size_t left_out_ = 0;
};

}  // namespace

std::string report_sarif(const report_model& of) {
  json::object log;
  log["$schema"] =
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
      "sarif-schema-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = json::array{run_writer{of}.made()};
  return json::serialize(log) + "\n";
}

}  // namespace scattergate::report
