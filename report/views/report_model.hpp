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
#include "report/views/source_place.hpp"
#include "text/problem.hpp"

namespace scattergate::report {

/// The facts about one source that views show.
struct source_facts {
  std::string name;                         ///< path or URL; passwords are removed
  source_kind kind = source_kind::unknown;  ///< unknown: nothing readable
  std::uint64_t bytes = 0;                  ///< number of stored bytes that were read
  digest_builder::tally tally;              ///< what was counted and skipped
  std::optional<text::problem> problem;     ///< why the rest couldn't be read
  std::string note{};  ///< a remark, such as that the file is empty or grew while it was read;
                       ///< empty: none
  /// The missing part of a capture's bytes, 0 to 1; unset for other sources.
  std::optional<double> missing_share{};
  /// 100 ms, the server's default threshold for slow operations, if all operations of a log or
  /// profile took at least that long. Otherwise unset.
  std::optional<std::chrono::milliseconds> threshold{};
  /// Hashes of shapes (commands without values) that keep an earlier verdict, because the
  /// catalog can't judge them again.
  std::vector<std::uint64_t> verdicts_kept{};

  /// Whether the source contains shard requests rather than commands.
  [[nodiscard]] bool counts_requests() const noexcept { return tally.shard_requests != 0; }
};

/// The maximum number of rows in text and Markdown if report_model::top isn't set.
inline constexpr std::size_t default_rows = 50;

/// The data of a report's views: a digest (a table with a row per shape of commands), the
/// sources, and the comparison with mongos. All references and pointers must outlive the model.
/// A finding is a shape with commands that go to all shards, because their filter doesn't bound
/// the shard key (digest::is_finding()).
struct report_model {
  const digest::table& table;         ///< the digest of the commands
  const report::truth& truth;         ///< the comparison of verdicts with mongos's fan-out
  std::vector<source_facts> sources;  ///< in the order in which they were read
  digest::wall_time generated_at;     ///< when the report was made
  std::string catalog;  ///< the catalog that judged the commands; empty: none was given, so the
                        ///< verdicts are those of the sources
  digest::ranking by = digest::ranking::cost;  ///< the order of rows
  /// The maximum number of shown rows; std::nullopt: default_rows in text and Markdown, no
  /// limit elsewhere. Totals include the other rows.
  std::optional<std::size_t> top{};
  const baseline_comparison* against = nullptr;  ///< the comparison with a baseline; null: none
  /// The shard requests (requests of routers to shards, from shards' logs); null: none.
  const digest::table* shard_requests = nullptr;
  /// The advice on shard keys; null: none was computed.
  const advise::advice* advice = nullptr;
  /// Sums of commands by hour, collection and sender; null: unknown.
  const digest::breakdown* parts = nullptr;
  /// Sums of shard requests by hour, collection and sender; null: unknown.
  const digest::breakdown* request_parts = nullptr;
  repository source{};  ///< where views look for the files that commands' comments name
  /// The catalog's path in the repository. CI findings point to it if no comment of their
  /// commands names a source file. Empty: the catalog isn't a file in the repository.
  std::string anchor{};
  /// For each namespace in the file `anchor`: its line number, from 1.
  std::map<std::string, std::size_t, std::less<>> anchor_lines{};
  /// The place of CI findings for which neither a comment nor `anchor` gives one.
  std::optional<source_place> otherwise_at{};

  /// The table to show: shard requests if there are some and no command was routed, otherwise
  /// commands.
  [[nodiscard]] const digest::table& shown() const noexcept {
    return shows_requests() ? *shard_requests : table;
  }
  /// Whether shown() has shard requests instead of commands.
  [[nodiscard]] bool shows_requests() const noexcept {
    const auto& all = table.all();
    constexpr auto none = static_cast<std::size_t>(routing::routing_class::not_routed);
    return has_requests() && all.commands == all.by_routing[none];
  }
  /// Whether any source contains shard requests.
  [[nodiscard]] bool has_requests() const noexcept {
    return shard_requests != nullptr && shard_requests->all().commands != 0;
  }
  /// The sums by hour, collection and sender that belong to shown(); null: unknown.
  [[nodiscard]] const digest::breakdown* shown_parts() const noexcept {
    return shows_requests() ? request_parts : parts;
  }
  /// The missing part of the bytes of all captures, 0 to 1; std::nullopt without captures.
  [[nodiscard]] std::optional<double> missing_share() const noexcept;
  /// The unit of shown(): "commands" or "shard requests".
  [[nodiscard]] std::string_view unit() const noexcept {
    return shows_requests() ? "shard requests" : "commands";
  }
  /// The kind of sender of the requests in shown(): clients sent commands, routers sent shard
  /// requests.
  [[nodiscard]] digest::sent_by sender() const noexcept {
    return shows_requests() ? digest::sent_by::router : digest::sent_by::client;
  }
  /// A rule for the proxy, as YAML, that accepts a shown row's commands as intended. Empty for
  /// shard requests, and for a row whose commands can't be findings.
  [[nodiscard]] std::string accept_rule(const digest::row& one) const;
  /// The row with the getMores on cursors that the commands of the shown row `one` opened.
  /// Null if there is none, or if `one` is itself a row of getMores.
  [[nodiscard]] const digest::row* get_mores_of(const digest::row& one) const noexcept;
  /// The result of get_mores_of() as text: "40 getMores, which asked 200 shards". Empty if
  /// there are none.
  [[nodiscard]] std::string get_mores_text(const digest::row& one) const;

  /// One line for readers of a view, which explains the shard requests in the sources. Empty if
  /// there are none.
  [[nodiscard]] std::string requests_text() const;

  /// The findings that a proxy's rules accepted: "2 findings, 120 commands"; empty if there
  /// are none.
  [[nodiscard]] std::string accepted_text() const;
  /// Whether the number of asked shards is known for any command. If not, views don't show
  /// wasted requests (requests to shards beyond the first of each command).
  [[nodiscard]] bool knows_shards() const noexcept {
    return shown().all().shards.commands != 0;
  }
  /// Whether the duration is known for any shown row. If not, views have no times.
  [[nodiscard]] bool knows_times() const;
  /// Why the number of asked shards is unknown for some shown rows, and which option helps.
  /// Empty if the number is known for all routed rows, or if shown() has shard requests.
  [[nodiscard]] std::string unknown_shards_text() const;

  bool has_findings_alone = false;  ///< whether ranked() returns findings only

  /// All rows in the order of ranked(), including the rows that ranked() omits.
  [[nodiscard]] std::vector<const digest::row*> every_row_ranked() const;
  /// The rows to show (only findings if `has_findings_alone`), ranked by `by`. If `by` is cost,
  /// there are three groups: rows that can be findings, rows whose findings were all accepted
  /// by rules, rows that can't be findings. With a baseline, the findings that it doesn't
  /// accept come before all other rows, whatever `by` is.
  [[nodiscard]] std::vector<const digest::row*> ranked() const;
  /// The number of rows that a text or Markdown view shows if there are `rows`.
  [[nodiscard]] std::size_t rows_listed(std::size_t rows) const noexcept {
    return std::min(rows, top.value_or(default_rows));
  }
  /// Number of shapes that a view doesn't show, including those that the digest has evicted.
  /// `rows`: all rows; `listed`: the shown ones.
  [[nodiscard]] std::uint64_t further_shapes(std::size_t rows,
                                             std::size_t listed) const noexcept {
    return rows - listed + shown().evicted_rows();
  }
  /// further_shapes() as text: "and 12 further shapes"; "and up to 12 further shapes" if
  /// shapes were evicted, because an evicted shape that was seen again counts twice. Empty if
  /// there are none.
  [[nodiscard]] std::string further_text(std::size_t rows, std::size_t listed) const;
  /// The state of a row relative to the baseline; none without a baseline.
  [[nodiscard]] baseline_state state_of(const digest::row& one) const {
    return against == nullptr ? baseline_state::none : against->state_of(one);
  }
};

/// Whether views show a block with the details of the shape: its commands can be findings, and
/// go to several shards or to unknown ones.
[[nodiscard]] bool has_own_block(const digest::row& one) noexcept;

/// How many of the commands, or shard requests, were sent to all shards.
[[nodiscard]] std::uint64_t scatters_of(const digest::totals& of) noexcept;

/// Describes the first rows of a ranking: "the costliest".
[[nodiscard]] std::string_view first_in_words(digest::ranking by) noexcept;

/// A source in one line: its kind, what it contributed, and what was skipped.
[[nodiscard]] std::string source_text(const source_facts& of);

/// The problem of a source, with the source's path and how much of the source was read
/// nevertheless. REQUIRES: of.problem.
[[nodiscard]] text::problem problem_of(const source_facts& of);

}  // namespace scattergate::report
