#include "telemetry/admin/page.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/scalars.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/admin/advice_answer.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "text/html_blocks.hpp"
#include "text/percent.hpp"
#include "text/time_text.hpp"

// The page's first HTML: a summary, which the script (telemetry/admin/web) replaces by lists
// that it makes from the API. So everything beyond the essential has one maker, the script.

namespace scattergate::telemetry {
namespace {

using digest::with_commas;
using text::append_fact;
using text::html_text;
using text::time_text;

/// The maximum number of entries in each part of the summary. The script and the API have the
/// others.
constexpr std::size_t most_shown = 20;

/// Appends how many of `all` entries the summary omits, with a link to those in the API.
void append_rest(std::string& html, std::size_t all, std::string_view api_path) {
  if (all <= most_shown) return;
  html += "<p>And " + with_commas(all - most_shown) + " more: <a href=\"" +
          std::string{api_path} + "\">" + std::string{api_path} + "</a>.</p>\n";
}

void append_active_condition(std::string& html, const condition& of) {
  const condition_rules& rules = rules_of(of.kind);
  const std::string severity{severity_label(of.kind)};
  html += R"(<li class="condition )" + severity + R"("><b>)" + severity + "</b> " +
          html_text(rules.begins.message);
  if (!of.subject.empty()) html += ": <code>" + html_text(of.subject) + "</code>";
  if (!of.detail.empty()) html += " – " + html_text(of.detail);
  html += R"( <span class="dim">)";
  if (!of.listener.empty()) html += "listener " + html_text(of.listener) + "; ";
  html += "since " + time_text(of.since);
  if (of.count > 1) {
    html += ", " + with_commas(of.count) + " times, last " + time_text(of.last);
  }
  html += "; log id " + std::to_string(rules.begins.id) + "</span><div>" +
          html_text(rules.what_to_do) + R"( <a target="_blank" rel="noopener" href="runbook#)" +
          html_text(rules.runbook) +
          R"(">runbook</a></div></li>)"
          "\n";
}

/// Appends the daemon's active problems (conditions), the most severe first. `unready_reason`:
/// health::unready_reason(); empty if the daemon is ready. `board`: null if there is none.
void append_active_conditions(std::string& html, std::string_view unready_reason,
                              const condition_board* board) {
  html += R"(<section id="wrong"><h2>Wrong right now</h2><div>)";
  auto active = board != nullptr ? board->snapshot() : std::vector<condition>{};
  std::erase_if(active, [](const condition& each) { return !each.active; });
  if (active.empty() && unready_reason.empty()) {
    html += R"(<p class="fine">Nothing is wrong with scattergate itself.</p>)";
  } else {
    html += R"(<ul class="conditions">)";
    if (!unready_reason.empty()) {
      html += R"(<li class="condition error"><b>error</b> Not ready: )" +
              html_text(unready_reason) + "</li>\n";
    }
    for (std::size_t i = 0; i < std::min(active.size(), most_shown); ++i) {
      append_active_condition(html, active[i]);
    }
    html += "</ul>\n";
    append_rest(html, active.size(), "api/v1/status");
  }
  html += "</div></section>\n";
}

void append_figure(std::string& html, std::string_view number, std::string_view what,
                   bool is_bad = false) {
  html += is_bad ? R"(<span class="num bad"><b>)" : R"(<span class="num"><b>)";
  html += html_text(number) + "</b> " + html_text(what) + "</span>";
}

/// Appends a shape: the command, the missing fields and the cost in one line; then the fix, the
/// senders, and the explain command to copy. `refused`: commands rejected or throttled.
void append_finding(std::string& html, const digest::row& row, std::uint64_t refused) {
  html += R"(<summary><span class="what"><span class="command">)" + html_text(row.command) +
          "</span> <b>" + html_text(row.name_space()) + "</b>";
  const std::string missing = digest::missing_text(row);
  if (!missing.empty()) {
    html += R"( <span class="lacks">lacks )" + html_text(missing) + "</span>";
  }
  html += "</span>";
  if (refused != 0) append_figure(html, with_commas(refused), "rejected or throttled", true);
  append_figure(html, with_commas(row.count), row.count == 1 ? "command" : "commands");
  if (row.shards.commands != 0) {
    append_figure(html, with_commas(row.shards.wasted), "shard requests wasted", true);
  }
  html +=
      "</summary>\n"
      R"(<div class="row-details">)";
  if (!row.what.suggestion.empty()) {
    html += R"(<p class="fix">)" + html_text(row.what.suggestion) + "</p>\n";
  }
  html += "<dl>\n";
  append_fact(html, "shard key", row.what.shard_key_json);
  for (const std::string& each : digest::caller_lines(row.who)) {
    append_fact(html, "sent by", each);
  }
  append_fact(html, "reason", label(row.what.why));
  append_fact(html, "shape hash", routing::shape_hash_text(row.shape_hash));
  text::append_code_fact(html, "explain command (mongosh)", digest::explain_text(row));
  html += "</dl></div>\n";
}

/// Appends the current findings (query shapes to report, such as scatters), with the first one
/// expanded. Shapes with rejected or throttled commands come first, then those with the highest
/// cost.
void append_findings(std::string& html, const live_digest::view& all) {
  auto findings = in_shown_order(all);
  std::erase_if(findings, [&](const digest::row* one) {
    return kind_of(*one, all) != shape_kind::finding;
  });
  html += R"(<section id="findings"><h2>Findings, worst first</h2>)"
          "\n<div>\n";
  if (findings.empty()) {
    html += "<p>No findings.</p>\n";
  } else {
    html += "<p>" + with_commas(findings.size()) +
            (findings.size() == 1 ? " finding" : " findings") + " seen in the last " +
            config::show_duration(
                std::chrono::duration_cast<std::chrono::milliseconds>(all.resolved_after)) +
            "; those with rejected or throttled commands first.</p>\n" +
            R"(<ol class="list static">)";
    for (std::size_t i = 0; i < std::min(findings.size(), most_shown); ++i) {
      html += i == 0 ? "\n<li><details open>" : "\n<li><details>";
      append_finding(html, *findings[i], refused_of(all.marks_of(*findings[i])));
      html += "</details></li>";
    }
    html += "</ol>\n";
    append_rest(html, findings.size(), "api/v1/shapes");
  }
  html += "</div></section>\n";
}

/// The name; for a collection, also a link to the advice on its shard key.
std::string name_html(const collection_table::collection& of) {
  if (of.name.empty()) return html_text(of.database);
  const std::string name = of.database + "." + of.name;
  return html_text(name) + "<br><a href=\"" + std::string{advice_page_path.substr(1)} +
         "?ns=" + text::percent_encoded(name) + "\">which shard key</a>";
}

void append_counts(std::string& html, std::string_view cell_html, const collection_sums& of) {
  const auto append = [&](std::uint64_t number, text::weight weight) {
    text::append_number_cell(html, number == 0 ? std::string{} : with_commas(number), weight);
  };
  constexpr auto scatter = static_cast<std::size_t>(routing::routing_class::scatter_gather);
  html += "<tr><td>" + std::string{cell_html} + "</td>";
  append(of.counts.commands(), text::weight::plain);
  append(of.counts.of[scatter], text::weight::plain);
  append(of.counts.of[command_counts::findings], text::weight::bad);
  const auto wasted = of.counts.known_waste();
  wasted ? append(*wasted, text::weight::plain) : text::append_number_cell(html, "?");
  html += "</tr>\n";
}

/// Appends the collections with the most wasted shard requests (those beyond the first of a
/// command), and the sums over all collections.
void append_collections(std::string& html, const live_digest::view& all) {
  static constexpr auto columns = std::to_array<text::html_column>({
      {.name = "collection"},
      {.name = "commands", .is_number = true},
      {.name = "to every shard", .is_number = true},
      {.name = "findings", .is_number = true},
      {.name = "shard requests wasted", .is_number = true},
  });
  html += R"(<section id="collections"><h2>Collections</h2>)"
          "\n<div>\n";
  const auto lines = all.collections.ranked();
  if (lines.empty()) {
    html += "<p>No commands yet.</p>\n";
  } else {
    text::append_table_begin(html, columns, "Collections");
    for (std::size_t i = 0; i < std::min(lines.size(), most_shown); ++i) {
      append_counts(html, name_html(*lines[i]), *lines[i]);
    }
    append_counts(html, "all of them", all.collections.all());
    text::append_table_end(html);
    append_rest(html, lines.size(), "api/v1/collections");
  }
  html += "</div></section>\n";
}

// The Content-Security-Policy forbids inline scripts and styles. Addresses are relative, so
// that the page works below a path of a reverse proxy.
constexpr std::string_view page_links =
    R"(<link rel="icon" href="icon.svg"><link rel="stylesheet" href="page.css">
<script src="page.js" type="module"></script>
)";
constexpr std::string_view entry_script = "/page.js";
constexpr std::string_view page_tail = R"(</main>
<footer><p>More: <a href="metrics">metrics</a> (Prometheus),
<a href="api/v1/shapes">shapes</a> and <a href="api/v1/rules">rules</a> (JSON),
<a href="readyz">readyz</a>, <a href="healthz">healthz</a>; each finding is in the audit log.</p>
</footer></body></html>
)";

/// Appends the page's <head>. Preloads the script's modules in parallel, instead of one import
/// after the other.
void append_head(std::string& html) {
  text::append_page_head(html, "scattergate: what is wrong right now");
  html += page_links;
  for (const web_file& each : web_files()) {
    if (!each.path.ends_with(".js") || each.path == entry_script) continue;
    html += R"(<link rel="modulepreload" href=")" + std::string{each.path.substr(1)} + "\">\n";
  }
}

void append_state(std::string& html, std::string_view unready_reason) {
  html += R"(<h1>scattergate</h1><div id="state"><p>Version )" +
          html_text(this_build().version) + ", ";
  html += unready_reason.empty() ? "ready" : "not ready: " + html_text(unready_reason);
  const std::chrono::milliseconds start{
      static_cast<std::int64_t>(read_process_stats().start_time_seconds * 1e3)};
  html += ", since " + time_text(std::chrono::system_clock::time_point{start}) + ".</p></div>";
}

}  // namespace

std::string page_html(std::string_view unready_reason, live_digest* shapes,
                      const condition_board* conditions, const headline& top, bool has_fleet) {
  std::string html;
  append_head(html);
  html += "</head><body>\n<header>\n";
  if (!top.text.empty()) {
    html += R"(<p id="headline" class=")" + std::string{label(top.level)} + R"(">)" +
            html_text(top.text) + "</p>\n";
  }
  append_state(html, unready_reason);
  html += "</header>\n<main>\n";
  append_active_conditions(html, unready_reason, conditions);
  if (shapes != nullptr) {
    shapes->read_view([&](const live_digest::view& all) {
      append_findings(html, all);
      append_collections(html, all);
    });
  }
  if (has_fleet) html += R"(<p><a href="fleet">The whole fleet</a></p>)";
  html += page_tail;
  return html;
}

}  // namespace scattergate::telemetry
