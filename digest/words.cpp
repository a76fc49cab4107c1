#include "digest/words.hpp"

#include <algorithm>
#include <string_view>

#include "digest/finding.hpp"
#include "digest/number_text.hpp"
#include "digest/placeholder.hpp"
#include "routing/shape/shape.hpp"
#include "text/glob.hpp"
#include "text/json_writer.hpp"

namespace scattergate::digest {
namespace {

using routing::command_kind;

/// Whether the row is a batch whose statements the source doesn't have (report:
/// digest_builder.cpp).
bool lacks_statements(const row& of) {
  return std::string_view{of.what.shape_json}.starts_with(R"({"statements":"not)");
}

}  // namespace

std::string explain_text(const row& of) {
  const auto command = routing::kind_of(of.command);
  const std::string_view shape = of.what.shape_json;
  const auto explained = routing::facts_of(command).explained;
  if (explained != routing::explain_support::plans || shape.size() < 2) return {};
  if (of.collection.empty()) return {};
  if (text::is_glob(of.name_space()))
    return {};                                         // the name is a pattern for several
                                                       // collections
  if (shape.find("\"...\"") != shape.npos) return {};  // truncated
  if (lacks_statements(of)) return {};
  std::string text = "db.getSiblingDB(";
  text::append_json_string(text, of.database);
  text += ").runCommand({explain: {" + of.command + ": ";
  text::append_json_string(text, of.collection);
  if (shape != "{}") text += ", " + with_values(shape.substr(1, shape.size() - 2));
  if (command == command_kind::aggregate) text += ", cursor: {}";
  return text + R"(}, verbosity: "queryPlanner"}))";
}

std::string accept_rule(const row& of, rule_for reader) {
  if (!can_be_finding(of) && !is_refused(of)) return {};
  const std::string ns = of.name_space();
  // A gate and a report hash the pattern; a proxy hashes the database's own name.
  const bool is_unhashable = text::is_glob(ns) && reader == rule_for::proxy;
  const std::string hash = routing::shape_hash_text(of.shape_hash);
  const bool is_by_class = is_unhashable || lacks_statements(of);
  std::string text = "- {name: accept-" + hash + ", match: {";
  if (is_by_class || !routing::facts_of(routing::kind_of(of.command)).joins) {
    text += "namespace: ";
    text::append_json_string(text, ns);
    const auto routing =
        is_refused(of) ? of.what.routing : routing::routing_class::scatter_gather;
    text += is_by_class
                ? ", command: " + of.command + ", routing: " + std::string{label(routing)}
                : ", shape: " + hash;
  } else {
    text += "command: " + of.command + ", shape: " + hash;
  }
  return text + R"(}, action: accept, why: "TODO"})";
}

std::string one_line(const row& of) {
  const std::string& shape = of.what.shape_json;
  return of.command + " " + of.name_space() + (shape.empty() ? "" : " " + shape);
}

std::string missing_text(const row& of) {
  std::string text;
  for (const std::string& field : of.what.missing) text += (text.empty() ? "" : ", ") + field;
  return text;
}

std::string statement_text(const row& of) {
  if (!of.what.statement) return {};
  return "index " + std::to_string(*of.what.statement) + " of the batch";
}

std::string caller_text(const caller& of) {
  std::string text;
  for (const std::string* part : {&of.app_name, &of.user, &of.remote, &of.comment}) {
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  }
  if (!of.test.empty()) text += (text.empty() ? "" : " ") + ("during test " + of.test);
  return text;
}

std::vector<std::string> caller_lines(const callers& of) {
  std::vector<std::string> lines;
  for (const caller& one : of.ranked()) {
    const std::string text = caller_text(one);
    if (!text.empty()) lines.push_back(with_commas(one.count) + " × " + text);
  }
  if (of.others() != 0) lines.push_back(with_commas(of.others()) + " × others");
  return lines;
}

std::string duration_text(const row& of, std::chrono::nanoseconds duration) {
  if (of.resolution.count() == 0) return duration_text(duration);
  if (duration < of.resolution) return "< " + duration_text(of.resolution);
  return duration_text(duration);
}

std::string times_text(const row& of) {
  if (!of.has_times()) return {};
  const auto text = [&](std::chrono::nanoseconds duration) {
    return duration_text(of, duration);
  };
  const std::string in_all = "longest " + text(of.longest) + ", in all " + text(of.total);
  if (!of.has_quantiles()) return in_all;
  return "median " + text(quantile(of, 0.5)) + ", p95 " + text(quantile(of, 0.95)) + ", " +
         in_all;
}

std::chrono::nanoseconds quantile(const row& of, double share) noexcept {
  const auto found = std::min(of.times.quantile(share), of.longest);
  if (of.resolution.count() == 0) return found;
  const auto nearest = found + of.resolution / 2;
  return nearest - nearest % of.resolution;
}

}  // namespace scattergate::digest
