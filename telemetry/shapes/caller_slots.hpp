#pragma once

#include <cstdint>
#include <vector>

#include "digest/row.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Counts a shape's commands by caller, in a bounded set of slots, and one count for all other
/// callers. A slot without counts may be reused for another caller. Thread-safety: the worker's
/// thread.
class caller_slots {
 public:
  /// The slots' memory is reserved from `memory`.
  explicit caller_slots(memory_budget& memory) noexcept : memory_(memory) {}
  ~caller_slots() { memory_.release(slots_.size() * slot_bytes); }
  caller_slots(const caller_slots&) = delete;
  caller_slots& operator=(const caller_slots&) = delete;

  /// The index that stands for callers without a slot.
  static constexpr std::size_t others = max_callers;

  /// The slot of the caller with this known_as() value; `others` if there is none.
  [[nodiscard]] std::size_t find(std::uint64_t caller_id) const noexcept {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].id == caller_id) return i;
    }
    return others;
  }
  /// The slot of a caller, assigned if necessary; `others` if there is no room. Allocates only
  /// for a caller without a slot.
  [[nodiscard]] std::size_t find_or_take(const caller_view& caller);

  /// Counts commands of the caller with this slot, or of `others`.
  void add(std::size_t to, std::uint64_t count) noexcept {
    (to == others ? others_ : slots_[to].caller.count) += count;
  }

  /// Adds the counts to `to`.
  void append_to(digest::callers& to) const;
  /// Resets all counts to zero.
  void reset() noexcept;

 private:
  struct slot {
    std::uint64_t id = 0;  // the caller's known_as()
    digest::caller caller;
  };
  /// The memory of a slot with texts of maximum size, both here and in the delta that is handed
  /// over.
  static constexpr std::size_t slot_bytes = 2 * (sizeof(slot) + 5 * max_caller_text);

  [[nodiscard]] slot* idle_slot();
  [[nodiscard]] bool add_slot();

  memory_budget& memory_;

  std::vector<slot> slots_;
  std::uint64_t others_ = 0;
};

}  // namespace scattergate::telemetry
