#pragma once

#include <cstddef>

#include "digest/table.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// The counts since the last delta was frozen for the fleet: a second digest, next to the live
/// one. Rows reserve their memory from `memory`. Without room, commands count in the totals,
/// and in their row if it exists. Thread-safety: one thread at a time.
class unflushed_digest {
 public:
  unflushed_digest(std::size_t max_rows, memory_budget& memory);
  ~unflushed_digest() { clear(); }
  unflushed_digest(const unflushed_digest&) = delete;
  unflushed_digest& operator=(const unflushed_digest&) = delete;

  /// Allocates the memory for count(delta). If it throws std::bad_alloc, nothing has changed.
  void make_room_for(const shape_delta& delta);
  /// Counts a delta. REQUIRES: make_room_for(delta) was the last call.
  void count(const shape_delta& delta) noexcept;
  /// Counts the part of a delta that needs no memory.
  void count_plainly(const shape_delta& delta) noexcept;

  [[nodiscard]] const digest::table& table() const noexcept { return table_; }
  /// Removes all counts and releases their memory.
  void clear() noexcept;

 private:
  void settle() noexcept;
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;
  void release(std::size_t bytes) noexcept;

  memory_budget& memory_;
  std::size_t max_rows_;
  std::size_t held_ = 0;  // bytes taken from `memory_`
  digest::table table_;
  digest::row* row_ = nullptr;  // with room for the delta that comes next; null: no room
  std::size_t reserved_ = 0;    // for that row, as it will be; 0: settled
};

}  // namespace scattergate::telemetry
