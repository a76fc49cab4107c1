#pragma once

#include <cstdint>
#include <vector>

#include "digest/row.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// The callers of one shape: a bounded set of slots that count commands by who sent them, and
/// one count for the callers beyond. A slot without counts may be taken over by another caller.
class caller_slots {
 public:
  /// Slots are taken out of `memory`, and given back at the end.
  explicit caller_slots(memory_budget& memory) noexcept : memory_(memory) {}
  ~caller_slots() { memory_.give_back(slots_.size() * slot_bytes); }
  caller_slots(const caller_slots&) = delete;
  caller_slots& operator=(const caller_slots&) = delete;

  /// The slot of those that have none.
  static constexpr std::size_t others = max_callers;

  /// The slot of a caller, by what known_as() says of it.
  [[nodiscard]] std::size_t find(std::uint64_t caller_id) const noexcept {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].id == caller_id) return i;
    }
    return others;
  }
  /// The same of any caller, taken now if there is room. Allocates only for one that isn't in a
  /// slot yet.
  [[nodiscard]] std::size_t find_or_take(const caller_view& caller);

  void add(std::size_t to, std::uint64_t count) noexcept {
    (to == others ? others_ : slots_[to].caller.count) += count;
  }

  /// Adds the counts to `to`.
  void tell(digest::callers& to) const;
  /// Starts from zero.
  void begin_anew() noexcept;

 private:
  struct slot {
    std::uint64_t id = 0;  // as known_as() says
    digest::caller caller;
  };
  /// A slot with all its texts, here and, handed over, in the ledger.
  static constexpr std::size_t slot_bytes = 2 * (sizeof(slot) + 5 * max_caller_text);

  [[nodiscard]] slot* idle_slot();
  [[nodiscard]] bool add_slot();

  memory_budget& memory_;

  std::vector<slot> slots_;
  std::uint64_t others_ = 0;
};

}  // namespace scattergate::telemetry
