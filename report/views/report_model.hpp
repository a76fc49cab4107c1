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

#include "digest/json.hpp"
#include "digest/table.hpp"
#include "report/baseline/baseline_comparison.hpp"
#include "report/sources/digest_builder.hpp"
#include "text/problem.hpp"

namespace scattergate::report {

/// One source, as far as it has been read.
struct source_facts {
  std::string name;
  source_kind kind = source_kind::unknown;
  std::uint64_t bytes = 0;
  digest_builder::tally tally;
  std::optional<text::problem> problem;  ///< why the rest of it could not be read
  std::string note{};                    ///< what else is to be said of it: empty, grown, ...
  /// Of a capture: the share of its bytes that is missing, 0 to 1.
  std::optional<double> missing_share{};
  /// Of a log: no faster command is in it.
  std::optional<std::chrono::milliseconds> threshold{};
  /// Hashes of shapes that keep the verdict they came with: the catalog can't judge them again.
  std::vector<std::uint64_t> verdicts_kept{};

  /// Whether what it tells is requests that routers made of shards, rather than commands.
  [[nodiscard]] bool counts_requests() const noexcept { return tally.shard_requests != 0; }
};

/// Rows that text and Markdown tell apart where nothing else is asked for.
inline constexpr std::size_t most_rows_told = 50;

/// All that a view may print: a digest, where it came from, and how it held against the truth.
struct report_model {
  const digest::table& table;  ///< of commands
  const report::truth& truth;
  std::vector<source_facts> sources;
  digest::wall_time generated_at;
  std::string catalog;  ///< what it was judged by; empty: by proxies, all of it
  digest::ranking by = digest::ranking::cost;
  std::optional<std::size_t> top{};  ///< so many rows are told, the rest is in the totals
  const baseline_comparison* against = nullptr;  ///< a baseline; null: there is none
  /// What shards' logs have of routers' requests, never added to commands; null: nothing.
  const digest::table* shard_requests = nullptr;
  /// What commands, and shards' requests, add up to by hour and sender; null: not known.
  const digest::breakdown* parts = nullptr;
  const digest::breakdown* request_parts = nullptr;
  std::string
      root{};  ///< the repository's absolute folder: a comment's paths below it are its own
  std::string
      anchor{};  ///< a file of it where findings are told of which no comment says a place
  /// The lines of the anchor that name namespaces.
  std::map<std::string, std::size_t, std::less<>> anchor_lines{};

  /// The table that a view shows: of commands, or, where none of them goes to a shard, of shard
  /// requests.
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
  /// The share of all captures' bytes that is missing; nothing: there is no capture.
  [[nodiscard]] std::optional<double> missing_share() const noexcept;
  /// What shown() counts: "commands" or "shard requests".
  [[nodiscard]] std::string_view unit() const noexcept {
    return shows_requests() ? "shard requests" : "commands";
  }
  [[nodiscard]] digest::sent_by sender() const noexcept {
    return shows_requests() ? digest::sent_by::router : digest::sent_by::client;
  }
  /// The rule that accepts a shown row; empty: there is none.
  [[nodiscard]] std::string accept_rule(const digest::row& one) const;
  /// What was read on from the cursors that a shown row's commands opened: null: nothing.
  [[nodiscard]] const digest::row* get_mores_of(const digest::row& one) const noexcept;
  /// The same in words: "40 getMores, which asked 200 shards".
  [[nodiscard]] std::string get_mores_text(const digest::row& one) const;

  /// One line about shard requests beside commands, or about what isn't known of them; empty:
  /// there are none.
  [[nodiscard]] std::string requests_text() const;

  bool has_findings_alone = false;  ///< views for people tell nothing else

  /// The rows that ranked() leaves out, too.
  [[nodiscard]] std::vector<const digest::row*> every_row_ranked() const;
  /// The rows, the first_in_words() first (by cost, what can be no finding comes last); with a
  /// baseline, what it doesn't accept before all.
  [[nodiscard]] std::vector<const digest::row*> ranked() const;
  /// How many of so many rows a view tells that doesn't tell all.
  [[nodiscard]] std::size_t told_of(std::size_t rows) const noexcept {
    return std::min(rows, top.value_or(most_rows_told));
  }
  /// Shapes beside the `told` ones of so many rows, evicted ones among them.
  [[nodiscard]] std::uint64_t further_shapes(std::size_t rows,
                                             std::size_t told) const noexcept {
    return rows - told + shown().evicted_rows();
  }
  /// The same in words: "and 12 further shapes"; where shapes were evicted, which may have come
  /// back, "and up to 12 further shapes". Empty: there are none.
  [[nodiscard]] std::string further_text(std::size_t rows, std::size_t told) const;
  [[nodiscard]] baseline_state state_of(const digest::row& one) const {
    return against == nullptr ? baseline_state::none : against->state_of(one);
  }
};

/// Whether a shape has a block of its own: what goes to one shard, or to none, needs nothing
/// done, and nothing can be done about what can't be a finding.
[[nodiscard]] bool is_told_apart(const digest::row& one) noexcept;

/// What the first rows are, in words: "the costliest".
[[nodiscard]] std::string_view first_in_words(digest::ranking by) noexcept;

/// A source in one line: what it was, what came of it, what was left out.
[[nodiscard]] std::string source_text(const source_facts& of);

/// Its problem, at the source, and how much of it is reported all the same.
/// REQUIRES: it has one.
[[nodiscard]] text::problem problem_of(const source_facts& of);

}  // namespace scattergate::report
