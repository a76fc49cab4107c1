#pragma once

#include <cstdint>
#include <vector>

#include "digest/row.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Counts the commands of one query shape by caller (the sender: application, driver, user,
/// address, comment). Up to max_callers callers have a slot each; all other callers share one
/// count. A slot without counts may be reused for another caller. Thread-safety: the worker's
/// thread.
class caller_slots {
 public:
  /// `memory`: the slots reserve their memory from it; must outlive this object.
  explicit caller_slots(memory_budget& memory) noexcept : memory_(memory) {}
  ~caller_slots() { memory_.release(slots_.size() * slot_bytes); }
  caller_slots(const caller_slots&) = delete;
  caller_slots& operator=(const caller_slots&) = delete;

  /// The index that stands for callers without a slot.
  static constexpr std::size_t others = max_callers;

  /// The index of a caller's slot; `others` if the caller has no slot. `caller_id`: the hash
  /// that known_as() returns for the caller.
  [[nodiscard]] std::size_t find(std::uint64_t caller_id) const noexcept {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].id == caller_id) return i;
    }
    return others;
  }
  /// Returns the index of a caller's slot, and assigns a slot if the caller has none. Returns
  /// `others` if there is no room. Allocates only for a caller without a slot.
  [[nodiscard]] std::size_t find_or_take(const caller_view& caller);

  /// Adds `count` commands to a slot. `to`: the slot's index; `others`: adds them to the count
  /// of all other callers.
  void add(std::size_t to, std::uint64_t count) noexcept {
    (to == others ? others_ : slots_[to].caller.count) += count;
  }

  /// Appends the callers with their counts to `to`.
  void append_to(digest::callers& to) const;
  /// Resets all counts to zero; callers keep their slots until the slots are reused.
  void reset() noexcept;

 private:
  struct slot {
    std::uint64_t id = 0;  // the caller's known_as()
    digest::caller caller;
  };
  /// The memory of a slot with texts of maximum size: once here, and once in the delta that the
  /// worker hands to the account.
  static constexpr std::size_t slot_bytes = 2 * (sizeof(slot) + 5 * max_caller_text);

  [[nodiscard]] slot* idle_slot();
  [[nodiscard]] bool add_slot();

  memory_budget& memory_;

  std::vector<slot> slots_;
  std::uint64_t others_ = 0;
};

}  // namespace scattergate::telemetry
