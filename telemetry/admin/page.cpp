#include "telemetry/admin/page.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "routing/verdict.hpp"
#include "telemetry/metrics/build_info.hpp"
#include "telemetry/metrics/metric_list.hpp"

namespace scattergate::telemetry {
namespace {

/// Findings shown; /metrics has all of them.
constexpr std::size_t max_findings = 100;

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>scattergate</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { border-bottom: 1px solid #ccc; padding: .2em .8em; text-align: left }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
td.bad { font-weight: bold; color: #b00 }
</style></head><body>
<h1>scattergate</h1>
<p>A proxy before mongos that judges how each command is routed, counts it, and audits those
that go to every shard.</p>
)";

constexpr std::string_view tail = R"(<p>More: <a href="/metrics">/metrics</a> (Prometheus),
<a href="/readyz">/readyz</a>, <a href="/healthz">/healthz</a>; who sent which finding, and what
to add to its filter, is in the audit log.</p>
</body></html>
)";

using namespace_name = std::pair<std::string, std::string>;
using class_counts = std::array<std::uint64_t, routing::routing_class_count>;

std::string_view label_of(const prometheus::ClientMetric& series, std::string_view name) {
  for (const auto& each : series.label) {
    if (each.name == name) return each.value;
  }
  return {};
}

const prometheus::MetricFamily* family_of(const std::vector<prometheus::MetricFamily>& families,
                                          metric id) {
  const std::string_view name = metric_list()[row_of(id)].name;
  const auto found = std::find_if(families.begin(), families.end(),
                                  [name](const auto& family) { return family.name == name; });
  return found == families.end() ? nullptr : &*found;
}

std::uint64_t count_of(const prometheus::ClientMetric& series) {
  return static_cast<std::uint64_t>(series.counter.value);
}

std::map<namespace_name, class_counts> commands_by_namespace(
    const prometheus::MetricFamily& family) {
  std::map<namespace_name, class_counts> rows;
  for (const auto& series : family.metric) {
    const std::string_view routing = label_of(series, "routing");
    class_counts& counts = rows[{std::string{label_of(series, "db")},
                                 std::string{label_of(series, "collection")}}];
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (routing == label(static_cast<routing::routing_class>(i))) {
        counts[i] += count_of(series);
      }
    }
  }
  return rows;
}

void append_cell(std::string& html, std::string_view text) {
  html += "<td>" + html_escaped(text) + "</td>";
}

void append_number(std::string& html, std::uint64_t number, bool is_bad = false) {
  html += is_bad && number != 0 ? R"(<td class="n bad">)" : R"(<td class="n">)";
  html += number == 0 ? std::string{} : std::to_string(number);
  html += "</td>";
}

void append_commands(std::string& html, const std::vector<prometheus::MetricFamily>& families) {
  html += "<h2>Commands</h2>\n";
  const prometheus::MetricFamily* family = family_of(families, metric::commands);
  if (family == nullptr) {
    html += "<p>None yet.</p>\n";
    return;
  }
  html += "<table><tr><th>database</th><th>collection</th>";
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    html += R"(<th class="n">)";
    html += label(static_cast<routing::routing_class>(i));
    html += "</th>";
  }
  html += "</tr>\n";
  constexpr auto scattered = static_cast<std::size_t>(routing::routing_class::scatter_gather);
  for (const auto& [name, counts] : commands_by_namespace(*family)) {
    html += "<tr>";
    append_cell(html, name.first);
    append_cell(html, name.second);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      append_number(html, counts[i], i == scattered);
    }
    html += "</tr>\n";
  }
  html += "</table>\n";
}

void append_findings(std::string& html, const std::vector<prometheus::MetricFamily>& families) {
  html += "<h2>Findings</h2>\n";
  const prometheus::MetricFamily* family = family_of(families, metric::findings);
  if (family == nullptr) {
    html += "<p>None yet.</p>\n";
    return;
  }
  std::vector<const prometheus::ClientMetric*> rows;
  for (const auto& series : family->metric) rows.push_back(&series);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return count_of(*a) > count_of(*b); });
  if (rows.size() > max_findings) rows.resize(max_findings);
  html += "<table><tr>";
  constexpr std::array columns = {"db", "collection", "command", "reason", "action"};
  for (const char* column : columns) html += std::string{"<th>"} + column + "</th>";
  html += R"(<th class="n">commands</th></tr>)";
  for (const prometheus::ClientMetric* row : rows) {
    html += "\n<tr>";
    for (const char* column : columns) append_cell(html, label_of(*row, column));
    append_number(html, count_of(*row), label_of(*row, "action") != "accepted");
    html += "</tr>";
  }
  html += "\n</table>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page_html(const std::vector<prometheus::MetricFamily>& families,
                      std::string_view unready_reason) {
  std::string html{head};
  html += "<p>Version ";
  html += this_build().version;
  html += ", ";
  html += unready_reason.empty() ? "ready" : "not ready: " + html_escaped(unready_reason);
  html += ".</p>\n";
  append_commands(html, families);
  append_findings(html, families);
  html += tail;
  return html;
}

}  // namespace scattergate::telemetry
