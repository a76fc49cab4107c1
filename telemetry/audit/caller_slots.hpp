#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/audit/finding.hpp"

namespace scattergate::telemetry {

/// The callers of one finding: a bounded set of slots that count commands by who sent them,
/// and one count for the callers beyond. A slot without counts may be taken over by another
/// caller.
class caller_slots {
 public:
  /// Slots are taken out of `memory`, and given back at the end.
  explicit caller_slots(memory_budget& memory) noexcept : memory_(memory) {}
  ~caller_slots() { memory_.give_back(slots_.size() * slot_bytes); }
  caller_slots(const caller_slots&) = delete;
  caller_slots& operator=(const caller_slots&) = delete;

  /// Counts a command of the caller's. Allocates only for a caller that isn't in a slot yet.
  void count(const caller_view& caller);

  /// Moves the counts into `to` and starts from zero.
  void take(finding_delta& to);

 private:
  struct slot {
    std::uint64_t hash = 0;
    caller_count caller;
  };
  /// A slot with all its texts, here and, handed over, in the ledger.
  static constexpr std::size_t slot_bytes = 2 * (sizeof(slot) + 5 * max_caller_text);

  [[nodiscard]] slot* find_or_take(const caller_view& caller);
  [[nodiscard]] slot* add_slot();

  memory_budget& memory_;

  std::vector<slot> slots_;
  std::uint64_t others_ = 0;
};

}  // namespace scattergate::telemetry
