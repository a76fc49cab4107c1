#include "report/views/baseline_text.hpp"

#include "digest/number_text.hpp"
#include "text/days.hpp"

namespace scattergate::report {
namespace {

using digest::with_commas;

std::string reason_text(const config::accepted_shape& of) {
  std::string text = of.why.empty() ? std::string{} : ": " + of.why;
  if (!of.by.empty()) text += " (" + of.by + ")";
  return text;
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
      return "new";
    case baseline_state::accepted:
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
