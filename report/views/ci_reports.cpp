#include "report/views/ci_reports.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "digest/words.hpp"
#include "report/views/ci_findings.hpp"
#include "report/views/execution_text.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "text/percent.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string{name} + "=\"" + xml_text(value) + "\"";
}

constexpr std::size_t most_of_shape = 160;

/// Names of tests: "find src/orders.py:42"; with the shape instead of a place if no comment
/// names a place. Readers merge tests of equal names, so a name that another test has gets the
/// shape too, or a number.
class test_names {
 public:
  std::string name(const ci_site& of) {
    const digest::row& row = *of.of->of;
    const std::string shape =
        " " + std::string{text::cut_utf8(row.what.shape_json, most_of_shape)};
    const bool is_call_site = of.of->is_at_call_site;
    std::string made = row.command + (is_call_site ? " " + to_string(*of.at) : shape);
    if (is_new(row, made)) return made;
    if (is_call_site) made += shape;
    std::string numbered = made;
    for (std::size_t number = 2; !is_new(row, numbered); ++number) {
      numbered = made + " (" + std::to_string(number) + ")";
    }
    return numbered;
  }

 private:
  bool is_new(const digest::row& of, const std::string& name) {
    return known_.insert(of.name_space() + "\n" + name).second;
  }

  std::set<std::string> known_;
};

std::string test_case(const report_model& in, const ci_site& site, test_names& names) {
  const ci_finding& one = *site.of;
  std::string text = "  <testcase" + attribute("classname", one.of->name_space());
  text += attribute("name", names.name(site));
  if (site.at != nullptr) {
    text += attribute("file", site.at->path) + attribute("line", std::to_string(site.at->line));
  }
  text += " time=\"0\">\n";
  if (one.is_accepted()) {
    text += "    <skipped" + attribute("message", message(in, site)) + "/>\n";
  } else {
    text += "    <failure" + attribute("type", label(one.of->what.why)) +
            attribute("message", headline(*one.of)) + ">" + xml_text(message(in, site)) +
            "</failure>\n";
  }
  return text + "  </testcase>\n";
}

/// Baseline entries that weren't seen: a note, not a test.
std::string absent_text(const report_model& of) {
  if (of.against == nullptr || of.against->absent().empty()) return {};
  std::string text = "  <system-out>";
  for (const config::accepted_shape* one : of.against->absent()) {
    text += xml_text(absent_headline(*one)) + "\n";
  }
  return text + "  </system-out>\n";
}

/// Escapes as the runner unescapes (actions/toolkit: core/src/command.ts); properties need more
/// escapes than the message.
std::string escaped(std::string_view text, bool is_property) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '%':
        safe += "%25";
        break;
      case '\r':
        safe += "%0D";
        break;
      case '\n':
        safe += "%0A";
        break;
      case ':':
        safe += is_property ? "%3A" : ":";
        break;
      case ',':
        safe += is_property ? "%2C" : ",";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

/// GitHub shows this many annotations of each level for a step of a job, and drops the others.
constexpr std::size_t most_annotations = 10;

/// Writes annotations: the first ones of each level as commands of GitHub's runner, the others
/// as plain lines of the log.
class annotation_writer {
 public:
  void error(const ci_site& of, const std::string& message) {
    add(errors_, most_annotations, {"error", of.at, headline(*of.of->of), message});
  }
  void notice(const ci_site& of, const std::string& message) {
    add(notices_, most_notices, {"notice", of.at, headline(*of.of->of), message});
  }
  /// A notice without a place.
  void notice(const std::string& title, const std::string& message) {
    add(notices_, most_notices, {"notice", nullptr, title, message});
  }

  std::string finished() {
    if (further_ == 0) return std::move(commands_);
    const std::string count = std::to_string(further_);
    commands_ += "::notice title=scattergate: " + count + " further::GitHub shows at most " +
                 std::to_string(most_annotations) +
                 " annotations of each level. The log of this step lists the others; the job's "
                 "summary has all of them with -o \"$GITHUB_STEP_SUMMARY\".\n";
    return commands_ + lines_;
  }

 private:
  static constexpr std::size_t most_notices = most_annotations - 1;  // finished() writes one

  struct annotation {
    std::string level;
    const source_place* at;
    std::string title, message;
  };

  void add(std::size_t& count, std::size_t most, const annotation& one) {
    if (count == most) {
      ++further_;
      lines_ += one.level + (one.at == nullptr ? "" : " " + to_string(*one.at)) + ": " +
                one.title + "\n";
      return;
    }
    ++count;
    commands_ += "::" + one.level + " ";
    if (one.at != nullptr) {
      commands_ +=
          "file=" + escaped(one.at->path, true) + ",line=" + std::to_string(one.at->line) + ",";
    }
    commands_ +=
        "title=" + escaped(one.title, true) + "::" + escaped(one.message, false) + "\n";
  }

  std::string commands_;
  std::string lines_;
  std::size_t errors_ = 0;
  std::size_t notices_ = 0;
  std::size_t further_ = 0;
};

namespace json = boost::json;

/// GitLab takes entries with one fingerprint for one. A finding's first place keeps the shape's
/// hash, so that further places don't change it.
std::string fingerprint(const ci_site& of) {
  std::string made = routing::shape_hash_text(of.of->of->shape_hash);
  if (of.is_first) return made;
  return made + "-" + routing::shape_hash_text(routing::shape_hash({}, {}, of.at->path)) + "-" +
         std::to_string(of.number_in_file);
}

json::object issue(const report_model& in, const ci_site& one) {
  const ci_finding& finding = *one.of;
  json::object made;
  made["description"] = headline(*finding.of) + ". " + message(in, one);
  made["check_name"] = "scattergate/" + std::string{label(finding.of->what.why)};
  made["fingerprint"] = fingerprint(one);
  made["severity"] = finding.is_accepted() ? "info" : "major";
  made["location"] = {{"path", one.at == nullptr ? no_path : one.at->path},
                      {"lines", {{"begin", one.at == nullptr ? 1U : one.at->line}}}};
  return made;
}

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

std::string report_junit(const report_model& of) {
  std::size_t tests = 0;
  std::size_t skipped = 0;
  std::string cases;
  test_names names;
  for (const ci_finding& one : findings_of(of)) {
    for (const ci_site& site : sites_of(one)) {
      ++tests;
      if (one.is_accepted()) ++skipped;
      cases += test_case(of, site, names);
    }
  }
  const std::string failures = std::to_string(tests - skipped);
  if (tests == 0) {
    tests = 1;
    cases = "  <testcase classname=\"scattergate\" name=\"nothing scatters\" time=\"0\"/>\n";
  }
  const std::string whole = " name=\"scattergate\" tests=\"" + std::to_string(tests) +
                            "\" failures=\"" + failures + "\"";
  const std::string counts =
      whole + " errors=\"0\" skipped=\"" + std::to_string(skipped) + "\" time=\"0\">\n";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + whole + ">\n <testsuite" +
         counts + cases + absent_text(of) + " </testsuite>\n</testsuites>\n";
}

std::string report_github(const report_model& of) {
  annotation_writer writer;
  const auto found = findings_of(of);
  std::vector<std::vector<ci_site>> sites;
  for (const ci_finding& one : found) sites.push_back(sites_of(one));
  // Each finding at one place comes before any finding's further places.
  for (std::size_t number = 0; number < most_places; ++number) {
    for (const auto& of_one : sites) {
      if (number >= of_one.size()) continue;
      const ci_site& site = of_one[number];
      if (site.of->is_accepted()) {
        writer.notice(site, message(of, site));
      } else {
        writer.error(site, message(of, site));
      }
    }
  }
  if (of.against != nullptr) {
    for (const config::accepted_shape* one : of.against->absent()) {
      writer.notice(absent_headline(*one), digest::one_line(row_of(*one)));
    }
  }
  return writer.finished();
}

std::string report_codequality(const report_model& of) {
  json::array issues;
  for (const ci_finding& one : findings_of(of)) {
    for (const ci_site& site : sites_of(one)) issues.push_back(issue(of, site));
  }
  return json::serialize(issues) + "\n";
}

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
