#include "telemetry/admin/page_findings.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "routing/shape/shape.hpp"
#include "routing/text/html_text.hpp"
#include "routing/text/time_text.hpp"
#include "telemetry/admin/page_parts.hpp"

namespace scattergate::telemetry {
namespace {

using digest::with_commas;
using routing::html_text;

using rows = std::vector<const digest::row*>;

/// Shapes shown; /api/v1/shapes has all of them.
constexpr std::size_t max_shapes = 100;

/// How a shape is told; as web/store.js finds it.
enum class kind : std::uint8_t { finding, resolved, accepted, other };

/// Whether a row that nothing is remembered of, as an earlier process counted it, is a finding:
/// it asks every shard, and MongoDB doesn't by its nature.
bool was_finding(const digest::row& row) {
  return row.what.routing == routing::routing_class::scatter_gather &&
         label(row.what.why) != "by_nature";
}

/// Findings that no rule has accepted.
std::uint64_t alarms_of(const shape_marks& marks) {
  const std::uint64_t all =
      std::accumulate(marks.actions.begin(), marks.actions.end(), std::uint64_t{0});
  return all - marks.actions[static_cast<std::size_t>(finding_action::accepted)];
}

kind kind_of(const digest::row& row, const live_digest::view& all) {
  if (row.command == "getMore") return kind::other;  // it goes on where its cursor was opened
  const shape_marks* const marks = all.marks_of(row);
  const bool is_quiet = is_resolved(row, marks, all.now, all.resolved_after);
  const std::uint64_t alarms = marks != nullptr ? alarms_of(*marks) : 0;
  const bool has_accepted =
      marks != nullptr &&
      marks->actions[static_cast<std::size_t>(finding_action::accepted)] != 0;
  if (has_accepted && (alarms == 0 || is_quiet)) return kind::accepted;
  if (alarms == 0 && !was_finding(row)) return kind::other;
  return is_quiet ? kind::resolved : kind::finding;
}

void append_figure(std::string& html, std::string_view number, std::string_view what,
                   bool is_bad = false) {
  html += is_bad ? R"(<span class="num bad"><b>)" : R"(<span class="num"><b>)";
  html += html_text(number) + "</b> " + html_text(what) + "</span>";
}

/// A shape in one line, as it is told closed: what it is, what it lacks, what it costs.
void append_summary(std::string& html, const digest::row& row) {
  html += R"(<summary><span class="what"><span class="command">)" + html_text(row.command);
  html += "</span> <b>" + html_text(row.name_space()) + "</b>";
  if (!row.what.missing.empty()) {
    html += R"( <span class="lacks">lacks )" + html_text(digest::missing_text(row)) + "</span>";
  }
  html += "</span>";
  append_figure(html, with_commas(row.count), row.count == 1 ? "command" : "commands");
  if (row.shards.commands != 0) {
    append_figure(html, with_commas(row.shards.wasted), "shard requests wasted", true);
  }
  if (row.times.count() != 0) {
    append_figure(html, digest::duration_text(digest::quantile(row, 0.95)), "95th percentile");
  }
  html += "</summary>\n";
}

void append_callers(std::string& html, const digest::callers& who) {
  for (const digest::caller& one : who.ranked()) {
    append_fact(html, "sent by", with_commas(one.count) + " × " + digest::caller_text(one));
  }
  if (who.others() != 0) append_fact(html, "sent by", with_commas(who.others()) + " × others");
}

/// What one would do, and paste: the fix, how it is planned, and the rule that accepts it.
void append_details(std::string& html, const digest::row& row) {
  html += R"(<div class="told">)";
  if (!row.what.suggestion.empty()) {
    html += R"(<p class="fix">)" + html_text(row.what.suggestion) + "</p>\n";
  }
  html += "<dl>\n";
  append_fact(html, "lacks", digest::missing_text(row));
  append_fact(html, "shard key", row.what.shard_key_json);
  append_callers(html, row.who);
  append_fact(html, "reason", label(row.what.why));
  if (row.first_seen) append_fact(html, "first seen", routing::time_text(*row.first_seen));
  if (row.last_seen) append_fact(html, "last seen", routing::time_text(*row.last_seen));
  append_fact(html, "shape hash", routing::shape_hash_text(row.shape_hash));
  append_code(html, "shape", row.what.shape_json);
  append_code(html, "how it is planned (mongosh)", digest::explain_text(row));
  append_code(html, "the rule that accepts it", digest::accept_rule(row));
  html += "</dl></div>\n";
}

/// `open`: how many of them are told in full at once.
void append_list(std::string& html, const rows& of, std::size_t open) {
  html += R"(<ol class="list">)";
  for (std::size_t i = 0; i < std::min(of.size(), max_shapes); ++i) {
    html += i < open ? "\n<li><details open>" : "\n<li><details>";
    append_summary(html, *of[i]);
    append_details(html, *of[i]);
    html += "</details></li>";
  }
  html += "</ol>\n";
  if (of.size() > max_shapes) {
    html += "<p>And " + with_commas(of.size() - max_shapes) +
            R"( more: <a href="api/v1/shapes">api/v1/shapes</a>.</p>)"
            "\n";
  }
}

void append_apart(std::string& html, std::string_view title, const rows& of) {
  if (of.empty()) return;
  html += "<h3>" + std::string{title} + "</h3>\n";
  append_list(html, of, 0);
}

}  // namespace

void append_findings(std::string& html, const live_digest::view& all) {
  std::array<rows, 4> by_kind;
  for (const digest::row* one : all.shapes.ranked()) {
    by_kind[static_cast<std::size_t>(kind_of(*one, all))].push_back(one);
  }
  const auto of = [&by_kind](kind each) -> const rows& {
    return by_kind[static_cast<std::size_t>(each)];
  };
  html += R"(<section id="findings"><h2>Findings, worst first</h2>)"
          "\n<div>\n";
  if (of(kind::finding).empty()) {
    html += "<p>None: no command asks every shard that needn't.</p>\n";
  } else {
    append_list(html, of(kind::finding), 1);
  }
  append_apart(html, "Resolved: quiet for a while", of(kind::resolved));
  append_apart(html, "Accepted by rules", of(kind::accepted));
  html += "</div></section>\n";
}

}  // namespace scattergate::telemetry
