#include "report/views/execution_text.hpp"

#include <utility>

#include "digest/finding.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
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

std::string times(std::uint64_t count) {
  return with_commas(count) + " x ";
}

std::string errors_text_of(std::uint64_t count, const digest::text_counts& of) {
  if (count == 0) return {};
  const std::string names = counted_text(of);
  return with_commas(count) + (names.empty() ? "" : " (" + names + ")");
}

std::string each_and_most(const digest::amounts& of, const std::string& what) {
  if (of.commands == 0) return {};
  return with_commas(of.total / of.commands) + what + ", " + with_commas(of.most) + " at most";
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

std::string counted_text(const digest::text_counts& of) {
  std::string text;
  for (const auto& one : of.ranked()) {
    text += (text.empty() ? "" : ", ") + times(one.commands) + one.text;
  }
  if (of.others() != 0) text += (text.empty() ? "" : ", ") + times(of.others()) + "others";
  return text;
}

std::string fanouts_text(const digest::row& of) {
  if (of.fanouts.all().size() < 2) return {};
  std::string text;
  for (const auto& one : of.fanouts.all()) {
    text += (text.empty() ? "" : ", ") + times(one.commands) + with_commas(one.shards) +
            (one.shards == 1 ? " shard" : " shards");
  }
  return text;
}

std::string errors_text(const digest::row& of) {
  return errors_text_of(of.errors, of.run.errors);
}

std::string errors_text(const digest::table& of) {
  return errors_text_of(of.all().errors, errors_of(of));
}

digest::text_counts errors_of(const digest::table& of) {
  digest::text_counts all;
  for (const digest::row* one : of.ranked(digest::ranking::errors)) {
    if (one->errors == 0) break;
    all.add(one->run.errors);
  }
  return all;
}

std::string accepted_text(const digest::row& of) {
  const std::uint64_t accepted = digest::accepted_count(of);
  if (accepted == 0) return {};
  std::string text = accepted < of.count
                         ? with_commas(accepted) + " of " + with_commas(of.count) + " commands"
                         : "all " + with_commas(of.count) + " commands";
  const char* separator = ", by ";
  for (const auto& one : of.run.accepted_by.ranked()) {
    if (!one.text.empty()) text += std::exchange(separator, "; ") + one.text;
  }
  return text;
}

std::array<named_fact, 6> run_facts(const digest::row& of) {
  return {{{"time", digest::times_text(of)},
           {"errors", errors_text(of)},
           {"asked", fanouts_text(of)},
           {"documents", each_and_most(of.run.docs_examined, " examined by each")},
           {"replies", each_and_most(of.run.reply_bytes, " bytes each")},
           {"plans", counted_text(of.run.plans)}}};
}

profile_numbers numbers_of(const digest::row& of, const digest::totals& all) {
  const bool is_known = of.shards.commands != 0;
  return {is_known ? digest::percent(of.shards.wasted, all.shards.wasted) : "?",
          with_commas(of.count), is_known ? std::to_string(of.shards.most) : "?",
          of.has_times() ? digest::duration_text(of, of.total) : ""};
}

}  // namespace scattergate::report
