#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.hpp"
#include "digest/json.hpp"
#include "digest/table.hpp"
#include "report/baseline/baseline_comparison.hpp"
#include "report/sources/digest_builder.hpp"
#include "text/problem.hpp"

namespace scattergate::report {

/// One source, as far as it was read.
struct source_facts {
  std::string name;
  source_kind kind = source_kind::unknown;
  std::uint64_t bytes = 0;
  digest_builder::tally tally;
  std::optional<text::problem> problem;  ///< why the rest couldn't be read
  std::string note{};                    ///< further remarks: empty, grown, ...
  /// Of a capture: the missing part of its bytes, 0 to 1.
  std::optional<double> missing_share{};
  /// Of a log: the minimum duration of its commands.
  std::optional<std::chrono::milliseconds> threshold{};
  /// Hashes of shapes that keep their earlier verdict, because the catalog can't judge them
  /// again.
  std::vector<std::uint64_t> verdicts_kept{};

  /// Whether the source contains shard requests rather than commands.
  [[nodiscard]] bool counts_requests() const noexcept { return tally.shard_requests != 0; }
};

/// Default limit for rows in text and Markdown.
inline constexpr std::size_t default_rows = 50;

/// The data of a report's views: a digest, its sources, and the comparison with real routing.
struct report_model {
  const digest::table& table;  ///< of commands
  const report::truth& truth;
  std::vector<source_facts> sources;
  digest::wall_time generated_at;
  std::string catalog;  ///< the catalog's origin; empty: the sources have all verdicts
  digest::ranking by = digest::ranking::cost;
  std::optional<std::size_t> top{};  ///< limit for shown rows; the totals include the rest
  const baseline_comparison* against = nullptr;  ///< the comparison with a baseline; null: none
  /// The shard requests from shards' logs, which aren't commands; null: none.
  const digest::table* shard_requests = nullptr;
  /// The advice on shard keys; null: none was computed.
  const advise::advice* advice = nullptr;
  /// Sums by hour and sender; null: unknown.
  const digest::breakdown* parts = nullptr;
  const digest::breakdown* request_parts = nullptr;
  std::string root{};    ///< the repository's absolute folder; paths in comments below it are
                         ///< made relative
  std::string anchor{};  ///< the file in the repository that findings without a place refer to
  /// The lines of `anchor` that name namespaces.
  std::map<std::string, std::size_t, std::less<>> anchor_lines{};

  /// The table to show: commands, or shard requests if there are no commands.
  [[nodiscard]] const digest::table& shown() const noexcept {
    return shows_requests() ? *shard_requests : table;
  }
  [[nodiscard]] bool shows_requests() const noexcept {
    const auto& all = table.all();
    constexpr auto none = static_cast<std::size_t>(routing::routing_class::not_routed);
    return has_requests() && all.commands == all.by_routing[none];
  }
  [[nodiscard]] bool has_requests() const noexcept {
    return shard_requests != nullptr && shard_requests->all().commands != 0;
  }
  [[nodiscard]] const digest::breakdown* shown_parts() const noexcept {
    return shows_requests() ? request_parts : parts;
  }
  /// The missing part of all captures' bytes; nothing without captures.
  [[nodiscard]] std::optional<double> missing_share() const noexcept;
  /// The unit of shown(): "commands" or "shard requests".
  [[nodiscard]] std::string_view unit() const noexcept {
    return shows_requests() ? "shard requests" : "commands";
  }
  [[nodiscard]] digest::sent_by sender() const noexcept {
    return shows_requests() ? digest::sent_by::router : digest::sent_by::client;
  }
  /// A rule that accepts a shown row; empty if there is none.
  [[nodiscard]] std::string accept_rule(const digest::row& one) const;
  /// The getMores of the cursors that a shown row's commands opened; null if there are none.
  [[nodiscard]] const digest::row* get_mores_of(const digest::row& one) const noexcept;
  /// The getMores of a shown row as text: "40 getMores, which asked 200 shards".
  [[nodiscard]] std::string get_mores_text(const digest::row& one) const;

  /// One line for views that says what the shard requests in the sources are, and that they
  /// aren't commands; empty if there are none.
  [[nodiscard]] std::string requests_text() const;

  /// The findings that a proxy's rules accepted: "2 findings, 120 commands"; empty if there
  /// are none.
  [[nodiscard]] std::string accepted_text() const;
  /// Whether the number of asked shards is known for any command. If not, views have no waste.
  [[nodiscard]] bool knows_shards() const noexcept {
    return shown().all().shards.commands != 0;
  }
  /// Whether the duration is known for any shown row. If not, views have no times.
  [[nodiscard]] bool knows_times() const;
  /// Why the number of asked shards is unknown for some shown rows, and what to pass; empty if
  /// it is known for all.
  [[nodiscard]] std::string unknown_shards_text() const;

  bool has_findings_alone = false;  ///< views for people show findings only

  /// All rows in the order of ranked(), including those that it omits.
  [[nodiscard]] std::vector<const digest::row*> every_row_ranked() const;
  /// The rows in the order that first_in_words() describes; by cost, findings that rules
  /// accepted come after the others, and rows that can't be findings last. With a baseline,
  /// unaccepted findings come before all others.
  [[nodiscard]] std::vector<const digest::row*> ranked() const;
  /// The number of `rows` that a view with a limit shows.
  [[nodiscard]] std::size_t rows_listed(std::size_t rows) const noexcept {
    return std::min(rows, top.value_or(default_rows));
  }
  /// Number of shapes beyond the shown rows, including evicted ones.
  [[nodiscard]] std::uint64_t further_shapes(std::size_t rows,
                                             std::size_t listed) const noexcept {
    return rows - listed + shown().evicted_rows();
  }
  /// further_shapes() as text: "and 12 further shapes"; "and up to 12 further shapes" if shapes
  /// were evicted, which may have returned. Empty if there are none.
  [[nodiscard]] std::string further_text(std::size_t rows, std::size_t listed) const;
  [[nodiscard]] baseline_state state_of(const digest::row& one) const {
    return against == nullptr ? baseline_state::none : against->state_of(one);
  }
};

/// Whether a shape gets a block of its own: not if it goes to one shard or none, or can't be a
/// finding, as nothing needs to be done then.
[[nodiscard]] bool has_own_block(const digest::row& one) noexcept;

/// Describes what comes first in a ranking: "the costliest".
[[nodiscard]] std::string_view first_in_words(digest::ranking by) noexcept;

/// A source in one line: its kind, its contribution, what was skipped.
[[nodiscard]] std::string source_text(const source_facts& of);

/// The problem of a source, with its path and how much of it is reported nevertheless.
/// REQUIRES: of.problem.
[[nodiscard]] text::problem problem_of(const source_facts& of);

}  // namespace scattergate::report
