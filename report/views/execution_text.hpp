#pragma once

#include <array>
#include <string>
#include <string_view>

#include "digest/row.hpp"
#include "digest/table.hpp"
#include "report/baseline/baseline_comparison.hpp"

/// Texts about how the commands of a shape (a row of the digest) were run, for all views.

/// Describes findings relative to a baseline, the file of accepted shapes. A finding is a shape
/// of commands that go to all shards, because the filter doesn't bound the shard key.

namespace scattergate::report {

/// The number of findings by state: "3 new, 12 accepted, 1 no longer accepted, 2 absent". Omits
/// states with the number 0, except "new".
[[nodiscard]] std::string counts_text(const baseline_comparison& of);

/// The state of the shape `one`: "new", "accepted: rare maintenance (dba-team), until
/// 2027-01-31", "accepted until 2026-01-31 only: ...", "accepted by nightly: an export" for
/// rules. Empty if the shape isn't a finding, or if it is new and there is no baseline.
[[nodiscard]] std::string state_text(const baseline_comparison& of, const digest::row& one);

/// The distribution of fan-outs (numbers of asked shards): "120 x 1 shard, 87 x 6 shards".
/// Empty if all are equal or unknown.
[[nodiscard]] std::string fanouts_text(const digest::row& of);

/// The number of failed commands, with their errors: "12 (10 x Unauthorized, ...)". Empty if
/// none failed.
[[nodiscard]] std::string errors_text(const digest::row& of);

/// The errors of all shapes of a table as text, with their counts. Empty if none failed.
[[nodiscard]] std::string errors_text(const digest::table& of);
/// The errors of all shapes of a table, counted by name.
[[nodiscard]] digest::text_counts errors_of(const digest::table& of);

/// The commands that a proxy's rules accepted, and the rules: "110 of 120 commands, by
/// housekeeping: rare maintenance". Empty if no command was accepted, or the source doesn't
/// say.
[[nodiscard]] std::string accepted_text(const digest::row& of);

/// Texts with their counts, such as plans (MongoDB's planSummary): "30 x IXSCAN { a: 1 }, 2 x
/// COLLSCAN". Empty if there are none.
[[nodiscard]] std::string counted_text(const digest::text_counts& of);

/// A fact about a row, with its name in lower case.
struct named_fact {
  std::string_view name;
  std::string text;  ///< empty: unknown
};
/// How a shape's commands were run, in the order of all views: time, errors, asked shards,
/// documents ("41 examined by each, 512 at most"), replies, plans.
[[nodiscard]] std::array<named_fact, 6> run_facts(const digest::row& of);

/// The numbers of a row in the views' tables of shapes.
struct profile_numbers {
  std::string waste;   ///< its share in all wasted shard requests; "?": unknown
  std::string count;   ///< the commands
  std::string shards;  ///< the most shards that a command asked; "?": unknown
  std::string time;    ///< the sum of all durations; empty: unknown
};
/// The numbers of a row of a table with these totals.
[[nodiscard]] profile_numbers numbers_of(const digest::row& of, const digest::totals& all);

}  // namespace scattergate::report
