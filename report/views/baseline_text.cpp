#include "report/views/baseline_text.hpp"

#include "digest/number_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::report {
namespace {

using digest::with_commas;

std::string reason_text(const config::accepted_shape& of) {
  std::string text = of.why.empty() ? std::string{} : ": " + of.why;
  if (!of.by.empty()) text += " (" + of.by + ")";
  return text;
}

/// Which rules or comments accept the commands of a row.
std::string by_text(const digest::row& one) {
  std::string text;
  for (const auto& by : one.run.accepted_by.ranked()) {
    text += (text.empty() ? " by " : "; ") + by.text;
  }
  return text.empty() ? " by a rule or comment" : text;
}

}  // namespace

std::string counts_text(const baseline_comparison& of) {
  struct part {
    baseline_state state;
    const char* name;
  };
  std::string text = with_commas(of.count(baseline_state::is_new)) + " new";
  for (const part& one : {part{baseline_state::accepted, " accepted"},
                          part{baseline_state::expired, " no longer accepted"},
                          part{baseline_state::absent, " absent"}}) {
    if (of.count(one.state) != 0) text += ", " + with_commas(of.count(one.state)) + one.name;
  }
  return text;
}

std::string state_text(const baseline_comparison& of, const digest::row& one) {
  const auto* const entry = of.entry_of(one);
  switch (of.state_of(one)) {
    case baseline_state::is_new:
      return of.is_given() ? "new" : "";
    case baseline_state::accepted:
      if (entry == nullptr) return "accepted" + by_text(one);
      return "accepted" + reason_text(*entry) +
             (entry->until ? ", until " + text::show_day(*entry->until) : "");
    case baseline_state::expired:
      return "accepted until " + text::show_day(*entry->until) + " only" + reason_text(*entry);
    case baseline_state::none:
    case baseline_state::absent:
      break;
  }
  return {};
}

}  // namespace scattergate::report
