#include "telemetry/admin/page.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/scalars.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/admin/advice_answer.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "text/html_blocks.hpp"
#include "text/percent.hpp"
#include "text/time_text.hpp"
#include "wire/label_table.hpp"

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
  append_fact(html, "statement", digest::statement_text(row));
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

/// Appends the findings (query shapes to report, such as scatters) as HTML, in three groups:
/// current findings, with the first one expanded; resolved findings; findings that a rule
/// accepts. In each group, shapes with rejected or throttled commands come first, then those
/// with the highest cost. Shows at most 100 shapes of each group.
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
    html += "<p>No findings.</p>\n";
  } else {
    html += "<p>" + with_commas(findings.size()) +
            (findings.size() == 1 ? " finding" : " findings") + " seen in the last " + quiet +
            "; those with rejected or throttled commands first.</p>\n";
    append_list(html, findings, all, 1);
  }
  append_apart(html, "Resolved: not seen in the last " + quiet, of(shape_kind::resolved), all);
  append_apart(html, "Accepted by rules", of(shape_kind::accepted), all);
  html += "</div></section>\n";
}

using text::time_text;

using conditions = std::vector<const condition*>;

/// If more conditions of one kind are active, they share one line.
constexpr std::size_t most_apart = 3;

bool is_grave(const condition& of) {
  return rules_of(of.kind).begins.severity >= log::severity::error;
}

/// A word for the severity, so that it doesn't depend on colours.
std::string_view word_of(const condition& of) {
  if (!of.active) return "resolved";
  return is_grave(of) ? "error" : "warning";
}

void begin_item(std::string& html, const condition& of) {
  const std::string_view style = of.active ? word_of(of) : "over";
  html += R"(<li class="condition )" + std::string{style} + R"(">)";
}

void append_message(std::string& html, const condition& of) {
  html += "<b>" + std::string{word_of(of)} + "</b> ";
  html += text::html_text(rules_of(of.kind).begins.message);
}

void append_advice(std::string& html, const condition& of) {
  const condition_rules& rules = rules_of(of.kind);
  html += "<div>" + text::html_text(rules.what_to_do);
  html += R"( <a target="_blank" rel="noopener" href="runbook#)";
  html += text::html_text(rules.runbook) + R"(">runbook</a></div>)";
}

void append_facts(std::string& html, const condition& of) {
  if (!of.subject.empty()) html += ": <code>" + text::html_text(of.subject) + "</code>";
  if (!of.detail.empty()) html += " – " + text::html_text(of.detail);
  html += R"( <span class="dim">)";
  if (!of.listener.empty()) html += "listener " + text::html_text(of.listener) + "; ";
  html += "since " + text::time_text(of.since);
  if (of.count > 1) {
    html += ", " + digest::with_commas(of.count) + " times, last " + text::time_text(of.last);
  }
  html += "; log id " + std::to_string(rules_of(of.kind).begins.id) + "</span>";
}

void append_one(std::string& html, const condition& of, bool with_advice) {
  begin_item(html, of);
  append_message(html, of);
  append_facts(html, of);
  if (with_advice) append_advice(html, of);
  html += "</li>\n";
}

/// Appends the conditions of one kind as one line, which expands to show each.
void append_group(std::string& html, const conditions& members) {
  const condition& first = *members.front();
  begin_item(html, first);
  html += "<details><summary>";
  append_message(html, first);
  html += ": " + digest::with_commas(members.size()) + " active</summary>";
  append_advice(html, first);
  html += R"(<ul class="conditions">)";
  for (const condition* each : members) append_one(html, *each, false);
  html += "</ul></details></li>\n";
}

/// Appends the active conditions. A group stands in the place of its first condition.
void append_active(std::string& html, const conditions& active) {
  for (const condition* each : active) {
    conditions members;
    std::ranges::copy_if(active, std::back_inserter(members),
                         [&](const condition* one) { return one->kind == each->kind; });
    if (members.size() <= most_apart) {
      append_one(html, *each, true);
    } else if (members.front() == each) {
      append_group(html, members);
    }
  }
}

/// Appends the daemon's problems (conditions) as HTML: the active ones, the most severe first,
/// then those that ended within the last hour. More than three active conditions of one kind
/// share one line. `unready_reason`: health::unready_reason(); empty if the daemon is ready.
/// `board`: null if there is none.
void append_conditions_section(std::string& html, std::string_view unready_reason,
                               const condition_board* board) {
  html += R"(<section id="wrong"><h2>Wrong right now</h2><div>)";
  const auto all = board != nullptr ? board->snapshot() : std::vector<condition>{};
  conditions active;
  conditions resolved;
  for (const condition& each : all) (each.active ? active : resolved).push_back(&each);
  if (active.empty() && unready_reason.empty()) {
    html += R"(<p class="fine">Nothing is wrong with scattergate itself.</p>)";
  } else {
    html += R"(<ul class="conditions">)";
    if (!unready_reason.empty()) {
      html += R"(<li class="condition error"><b>error</b> Not ready: )" +
              text::html_text(unready_reason) + "</li>\n";
    }
    append_active(html, active);
    html += "</ul>\n";
  }
  if (!resolved.empty()) {
    html += "<details><summary>" + digest::with_commas(resolved.size()) +
            R"( resolved in the last hour</summary><ul class="conditions">)";
    for (const condition* each : resolved) append_one(html, *each, true);
    html += "</ul></details>\n";
  }
  html += "</div></section>\n";
}

using routing::routing_class;

/// The maximum number of collections on the page; /api/v1/collections returns more.
constexpr std::size_t max_collections = 200;

constexpr auto columns = std::to_array<text::html_column>({
    {.name = "collection"},
    {.name = "commands in the last minute", .is_number = true},
    {.name = "commands", .is_number = true},
    {.name = "one shard", .is_number = true},
    {.name = "several", .is_number = true},
    {.name = "every shard", .is_number = true},
    {.name = "findings", .is_number = true},
    {.name = "accepted", .is_number = true},
    {.name = "getMore", .is_number = true},
    {.name = "shard requests wasted", .is_number = true},
});

/// Appends a cell with a number; an empty cell for zero.
void append_number(std::string& html, std::uint64_t number,
                   text::weight of = text::weight::plain) {
  if (number == 0) return text::append_number_cell(html, {});
  text::append_number_cell(html, digest::with_commas(number), of);
}

std::string name_of(const collection_table::collection& of) {
  return of.name.empty() ? of.database : of.database + "." + of.name;
}

/// The name; for a collection, also a link to the advice on its shard key.
std::string name_html(const collection_table::collection& of) {
  const std::string name = name_of(of);
  std::string html = text::html_text(name);
  if (of.name.empty()) return html;
  return html + "<br><a href=\"" + std::string{advice_page_path.substr(1)} +
         "?ns=" + text::percent_encoded(name) + "\">which shard key</a>";
}

void append_counts(std::string& html, std::string_view cell_html, const collection_sums& of,
                   digest::wall_time now) {
  const auto of_class = [&of](routing_class each) {
    return of.counts.of[static_cast<std::size_t>(each)];
  };
  html += "<tr><td>" + std::string{cell_html} + "</td>";
  append_number(html, of.recent.sum(now).commands());
  append_number(html, of.counts.commands());
  append_number(html, of_class(routing_class::single_shard));
  append_number(html, of_class(routing_class::multi_shard));
  append_number(html, of_class(routing_class::scatter_gather));
  append_number(html, of.counts.of[command_counts::findings], text::weight::bad);
  append_number(html, of.counts.of[command_counts::accepted]);
  append_number(html, of.counts.of[command_counts::get_more]);
  const auto wasted = of.counts.known_waste();
  wasted ? append_number(html, *wasted) : text::append_number_cell(html, "?");
  html += "</tr>\n";
}

/// Appends an HTML table of at most 200 collections, those with the most wasted shard requests
/// first, and the sums over all collections. A wasted shard request is one beyond the first of
/// a command.
void append_collections(std::string& html, const live_digest::view& all) {
  html += R"(<section id="collections"><h2>Collections</h2>)"
          "\n<div>\n";
  const auto lines = all.collections.ranked();
  if (lines.empty()) {
    html += "<p>No commands yet.</p>\n</div></section>\n";
    return;
  }
  text::append_table_begin(html, columns, "Collections");
  const std::size_t shown = std::min(lines.size(), max_collections);
  for (std::size_t i = 0; i < shown; ++i) {
    append_counts(html, name_html(*lines[i]), *lines[i], all.now);
  }
  append_counts(html, "all of them", all.collections.all(), all.now);
  text::append_table_end(html);
  if (shown != lines.size()) {
    html += "<p>And " + digest::with_commas(lines.size() - shown) + " more.</p>\n";
  }
  html += "</div></section>\n";
}

// The Content-Security-Policy forbids inline scripts and styles. Addresses are relative, so
// that the page works below a path of a reverse proxy.
constexpr std::string_view title = "scattergate: what is wrong right now";
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

/// Preloads the script's modules in parallel, instead of one import after the other.
void append_preloads(std::string& html) {
  for (const web_file& each : web_files()) {
    if (!each.path.ends_with(".js") || each.path == entry_script) continue;
    html += R"(<link rel="modulepreload" href=")" + std::string{each.path.substr(1)} + "\">\n";
  }
}

void append_headline(std::string& html, const headline& top) {
  if (top.text.empty()) return;
  html += R"(<p id="headline" class=")" + std::string{label(top.level)} + R"(">)";
  html += text::html_text(top.text) + "</p>\n";
}

void append_state(std::string& html, std::string_view unready_reason) {
  html += R"(<h1>scattergate</h1><div id="state"><p>Version )" +
          text::html_text(this_build().version) + ", ";
  html += unready_reason.empty() ? "ready" : "not ready: " + text::html_text(unready_reason);
  const std::chrono::milliseconds start{
      static_cast<std::int64_t>(read_process_stats().start_time_seconds * 1e3)};
  html += ", since " + text::time_text(std::chrono::system_clock::time_point{start}) + ".</p>";
}

}  // namespace

std::string page_html(std::string_view unready_reason, live_digest* shapes,
                      const condition_board* conditions, const headline& top, bool has_fleet) {
  std::string html;
  text::append_page_head(html, title);
  html += page_links;
  append_preloads(html);
  html += "</head><body>\n<header>\n";
  append_headline(html, top);
  append_state(html, unready_reason);
  html += "</div></header>\n<main>\n";
  append_conditions_section(html, unready_reason, conditions);
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
