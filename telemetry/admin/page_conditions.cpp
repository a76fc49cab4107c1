#include "telemetry/admin/page_conditions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "digest/number_text.hpp"
#include "text/html_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

using text::html_text;
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

}  // namespace

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

}  // namespace scattergate::telemetry
