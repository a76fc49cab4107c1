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

/// The kinds of statistics that a flush writes, each to its own collection.
enum class statistic : std::uint8_t { shapes, callers };
inline constexpr std::array statistics{statistic::shapes, statistic::callers};
/// The name of the collection for this kind of statistics.
[[nodiscard]] std::string_view collection_of(statistic kind) noexcept;

/// A frozen delta as a list of update statements. The order is deterministic: a flush that
/// resumes after a crash depends on it.
class flush_plan {
 public:
  /// A batch has at most this many statements.
  static constexpr std::size_t most_statements = 500;
  /// A batch has about this many bytes at most.
  static constexpr std::size_t most_bytes = 8UL << 20;

  /// Parses a delta; a problem if it is invalid.
  [[nodiscard]] static text::result<flush_plan> of(const frozen_delta& delta);

  flush_plan(flush_plan&&) = default;
  flush_plan& operator=(flush_plan&&) = default;

  /// The number of statements of this kind.
  [[nodiscard]] std::size_t size(statistic kind) const noexcept;

  /// The statement at `index`. `missing`: whether it creates its document. REQUIRES: index <
  /// size(kind).
  [[nodiscard]] std::vector<std::byte> statement(statistic kind, std::size_t index,
                                                 const flush_place& at,
                                                 when_missing missing) const;

  /// The statements of the next batch, starting at index `from`: at least one, as many as fit.
  [[nodiscard]] std::vector<std::vector<std::byte>> batch(statistic kind, std::size_t from,
                                                          const flush_place& at) const;

  /// The name of the shape that a statement of the kind `shapes` is for. `index` is below
  /// size(statistic::shapes).
  [[nodiscard]] std::string shape(std::size_t index) const;

 private:
  explicit flush_plan(const digest::table& delta);

  std::vector<digest::row> rows_;
  rowless_counts rowless_;
  bool has_rowless_ = false;
  std::vector<caller_counts> callers_;  // refer to rows_
};

}  // namespace scattergate::fleet
