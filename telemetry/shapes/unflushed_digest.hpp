#pragma once

#include <cstddef>

#include "digest/table.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// A second digest, next to live_digest: the counts that fleet_ledger hasn't taken yet to send
/// ("flush") to the fleet's database. Rows (one per query shape) reserve their memory from a
/// memory budget. If there is no room for a new row, its commands count only in the totals.
/// Thread-safety: one thread at a time.
class unflushed_digest {
 public:
  /// `max_rows`: maximum number of rows. `memory`: the rows' budget; must outlive this object.
  unflushed_digest(std::size_t max_rows, memory_budget& memory);
  ~unflushed_digest() { clear(); }
  unflushed_digest(const unflushed_digest&) = delete;
  unflushed_digest& operator=(const unflushed_digest&) = delete;

  /// Allocates the memory for count(delta). If it throws std::bad_alloc, the counts are
  /// unchanged.
  void make_room_for(const shape_delta& delta);
  /// Counts a delta (a shape's new counts). REQUIRES: make_room_for(delta) was the last call.
  void count(const shape_delta& delta) noexcept;
  /// Counts a delta without allocating: in its row if the row exists (without callers), and in
  /// the totals.
  void count_plainly(const shape_delta& delta) noexcept;

  /// All counts.
  [[nodiscard]] const digest::table& table() const noexcept { return table_; }
  /// Removes all counts and releases their memory.
  void clear() noexcept;

 private:
  void settle() noexcept;
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;
  void release(std::size_t bytes) noexcept;

  memory_budget& memory_;
  std::size_t max_rows_;
  std::size_t held_ = 0;  // bytes reserved from `memory_`
  digest::table table_;
  digest::row* row_ = nullptr;  // has room for the next delta; null: no room
  std::size_t reserved_ = 0;    // bytes reserved for `row_`; 0: settled
};

}  // namespace scattergate::telemetry
