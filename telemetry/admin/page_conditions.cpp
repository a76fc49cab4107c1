#include "telemetry/admin/page_conditions.hpp"

#include <algorithm>
#include <vector>

#include "digest/number_text.hpp"
#include "routing/text/html_text.hpp"
#include "routing/text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

using routing::html_text;
using routing::time_text;

log::severity severity_of(const condition& of) {
  return rules_of(of.kind).begins.severity;
}

bool is_grave(const condition& of) {
  return severity_of(of) != log::severity::info && severity_of(of) != log::severity::warning;
}

/// In words that say it without colours too.
std::string_view word_of(const condition& of) {
  if (!of.active) return "over";
  return is_grave(of) ? "error" : "warning";
}

void append_condition(std::string& html, const condition& of) {
  html += R"(<li class="condition )" + std::string{word_of(of)} + R"("><b>)";
  html += word_of(of);
  html += "</b> " + html_text(rules_of(of.kind).begins.message);
  if (!of.subject.empty()) html += ": <code>" + html_text(of.subject) + "</code>";
  if (!of.detail.empty()) html += " – " + html_text(of.detail);
  html += R"( <span class="dim">since )" + time_text(of.since);
  if (of.count > 1) {
    html += ", " + digest::with_commas(of.count) + " times, last " + time_text(of.last);
  }
  html += "; log id " + std::to_string(rules_of(of.kind).begins.id) + "</span></li>\n";
}

void append_conditions(std::string& html, const std::vector<condition>& all, bool active) {
  for (const condition& each : all) {
    if (each.active == active) append_condition(html, each);
  }
}

}  // namespace

void append_wrong(std::string& html, std::string_view unready_reason,
                  const condition_board* board) {
  html += R"(<section id="wrong"><h2>Wrong right now</h2><div>)";
  auto all = board != nullptr ? board->snapshot() : std::vector<condition>{};
  std::ranges::stable_partition(all, is_grave);
  const auto active = std::ranges::count_if(all, &condition::active);
  const auto over = static_cast<std::size_t>(std::ssize(all) - active);
  if (active == 0 && unready_reason.empty()) {
    html += R"(<p class="fine">Nothing is wrong with scattergate itself.</p>)";
  } else {
    html += R"(<ul class="conditions">)";
    if (!unready_reason.empty()) {
      html += R"(<li class="condition error"><b>error</b> not ready: )" +
              html_text(unready_reason) + "</li>\n";
    }
    append_conditions(html, all, true);
    html += "</ul>\n";
  }
  if (over != 0) {
    html += "<details><summary>" + digest::with_commas(over) +
            R"( over within the last hour</summary><ul class="conditions">)";
    append_conditions(html, all, false);
    html += "</ul></details>\n";
  }
  html += "</div></section>\n";
}

}  // namespace scattergate::telemetry
