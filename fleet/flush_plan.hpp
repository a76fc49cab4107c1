#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "fleet/shape_document.hpp"
#include "fleet/stored_ledger.hpp"
#include "text/problem.hpp"

namespace scattergate::fleet {

/// The kinds of statistics that a flush (adding a sidecar's counts to the fleet's database)
/// writes, each to its own collection.
enum class statistics_kind : std::uint8_t { shapes, callers };
/// All kinds, in the order in which a flush writes them.
inline constexpr std::array statistics{statistics_kind::shapes, statistics_kind::callers};
/// The name of the collection for this kind of statistics.
[[nodiscard]] std::string_view collection_of(statistics_kind kind) noexcept;

/// The update statements that write a frozen delta (the counts of one flush;
/// fleet/stored_ledger.hpp): one list for each kind of statistics. The order in each list
/// depends only on the delta, so a flush that resumes after a crash can continue by index.
class flush_plan {
 public:
  /// The maximum number of statements in a batch.
  static constexpr std::size_t most_statements = 500;
  /// The maximum size of a batch's statements, in bytes. A single larger statement is a batch
  /// of its own.
  static constexpr std::size_t most_bytes = 8UL << 20;

  /// Parses the rows of a delta. Returns a problem if the rows are invalid.
  [[nodiscard]] static text::result<flush_plan> of(const frozen_delta& delta);

  flush_plan(flush_plan&&) = default;
  flush_plan& operator=(flush_plan&&) = default;

  /// The number of statements of this kind.
  [[nodiscard]] std::size_t size(statistics_kind kind) const noexcept;

  /// Builds the statement at `index`, for the flush and the logical shard (one of a shape's
  /// documents) in `at`. `missing`: whether the statement creates a missing document.
  /// REQUIRES: index < size(kind).
  [[nodiscard]] std::vector<std::byte> statement(statistics_kind kind, std::size_t index,
                                                 const flush_place& at,
                                                 when_missing missing) const;

  /// Builds the statements of one batch, starting at index `from`: as many as fit, at least
  /// one. The statements create missing documents. REQUIRES: from < size(kind).
  [[nodiscard]] std::vector<std::vector<std::byte>> batch(statistics_kind kind,
                                                          std::size_t from,
                                                          const flush_place& at) const;

  /// The name of a statement's shape; see shape_name(). `index`: the statement's index among
  /// the statements of the kind `shapes`. REQUIRES: index < size(statistics_kind::shapes).
  [[nodiscard]] std::string shape(std::size_t index) const;

 private:
  explicit flush_plan(const digest::table& delta);

  std::vector<digest::row> rows_;  // sorted by key
  rowless_counts rowless_;
  bool has_rowless_ = false;            // whether rowless_ counts anything
  std::vector<caller_counts> callers_;  // point to rows_
};

}  // namespace scattergate::fleet
