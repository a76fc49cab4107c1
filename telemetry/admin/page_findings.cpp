#include "telemetry/admin/page_findings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <vector>

#include "config/text/scalars.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/shapes/shape_kind.hpp"
#include "text/html_blocks.hpp"
#include "text/html_text.hpp"
#include "text/time_text.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::telemetry {
namespace {

using digest::with_commas;
using text::append_code_fact;
using text::append_fact;
using text::html_text;

using rows = std::vector<const digest::row*>;

/// The maximum number of shapes per list on the page; /api/v1/shapes returns all.
constexpr std::size_t max_shapes = 100;

void append_figure(std::string& html, std::string_view number, std::string_view what,
                   bool is_bad = false) {
  html += is_bad ? R"(<span class="num bad"><b>)" : R"(<span class="num"><b>)";
  html += text::html_text(number) + "</b> " + text::html_text(what) + "</span>";
}

/// Appends a shape as one line: the command, the missing fields, the cost.
void append_summary(std::string& html, const digest::row& row, std::uint64_t refused) {
  html +=
      R"(<summary><span class="what"><span class="command">)" + text::html_text(row.command);
  html += "</span> <b>" + text::html_text(row.name_space()) + "</b>";
  if (!row.what.missing.empty()) {
    html += R"( <span class="lacks">lacks )" + text::html_text(digest::missing_text(row)) +
            "</span>";
  }
  html += "</span>";
  if (refused != 0) append_figure(html, with_commas(refused), "rejected or throttled", true);
  append_figure(html, with_commas(row.count), row.count == 1 ? "command" : "commands");
  if (row.shards.commands != 0) {
    append_figure(html, with_commas(row.shards.wasted), "shard requests wasted", true);
  }
  if (row.has_quantiles()) {
    append_figure(html, digest::duration_text(digest::quantile(row, 0.95)), "95th percentile");
  }
  html += "</summary>\n";
}

/// Appends the fix, and texts to copy: the explain command and a rule that accepts the shape.
void append_details(std::string& html, const digest::row& row) {
  html += R"(<div class="row-details">)";
  if (!row.what.suggestion.empty()) {
    html += R"(<p class="fix">)" + text::html_text(row.what.suggestion) + "</p>\n";
  }
  html += "<dl>\n";
  append_fact(html, "lacks", digest::missing_text(row));
  append_fact(html, "shard key", row.what.shard_key_json);
  for (const std::string& each : digest::caller_lines(row.who)) {
    append_fact(html, "sent by", each);
  }
  append_fact(html, "reason", label(row.what.why));
  if (row.first_seen) append_fact(html, "first seen", text::time_text(*row.first_seen));
  if (row.last_seen) append_fact(html, "last seen", text::time_text(*row.last_seen));
  append_fact(html, "shape hash", routing::shape_hash_text(row.shape_hash));
  append_code_fact(html, "shape", row.what.shape_json);
  append_code_fact(html, "explain command (mongosh)", digest::explain_text(row));
  append_code_fact(html, "rule that accepts it", digest::accept_rule(row));
  html += "</dl></div>\n";
}

/// Appends a list of shapes. `open`: the number of entries to expand.
void append_list(std::string& html, const rows& of, const live_digest::view& all,
                 std::size_t open) {
  html += R"(<ol class="list static">)";
  for (std::size_t i = 0; i < std::min(of.size(), max_shapes); ++i) {
    html += i < open ? "\n<li><details open>" : "\n<li><details>";
    append_summary(html, *of[i], refused_of(all.marks_of(*of[i])));
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

void append_apart(std::string& html, std::string_view title, const rows& of,
                  const live_digest::view& all) {
  if (of.empty()) return;
  html += "<h3>" + std::string{title} + "</h3>\n";
  append_list(html, of, all, 0);
}

}  // namespace

void append_findings(std::string& html, const live_digest::view& all) {
  std::array<rows, wire::enum_count<shape_kind>()> by_kind;
  for (const digest::row* one : in_shown_order(all)) {
    by_kind[static_cast<std::size_t>(kind_of(*one, all))].push_back(one);
  }
  const auto of = [&by_kind](shape_kind each) -> const rows& {
    return by_kind[static_cast<std::size_t>(each)];
  };
  const rows& findings = of(shape_kind::finding);
  const std::string quiet = config::show_duration(
      std::chrono::duration_cast<std::chrono::milliseconds>(all.resolved_after));
  html += R"(<section id="findings"><h2>Findings, worst first</h2>)"
          "\n<div>\n";
  if (findings.empty()) {
    html += "<p>No scatter-gather findings.</p>\n";
  } else {
    html += "<p>" + with_commas(findings.size()) + " scattering " +
            (findings.size() == 1 ? "shape" : "shapes") + " seen in the last " + quiet +
            "; those with rejected or throttled commands first.</p>\n";
    append_list(html, findings, all, 1);
  }
  append_apart(html, "Resolved: not seen in the last " + quiet, of(shape_kind::resolved), all);
  append_apart(html, "Accepted by rules", of(shape_kind::accepted), all);
  html += "</div></section>\n";
}

}  // namespace scattergate::telemetry
