#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "telemetry/finding.hpp"

namespace scattergate::telemetry {

/// The callers of one finding: a bounded set of slots that count commands by who sent them.
/// A slot that a command under way refers to stays where it is; one without counts may be
/// taken over by another caller.
/// Thread-safety: one thread.
class caller_slots {
 public:
  /// The slot of callers beyond the bound.
  static constexpr std::uint32_t others = max_callers;

  /// The caller's slot, with one more command under way in it. Allocates only for a caller
  /// that isn't in a slot yet.
  [[nodiscard]] std::uint32_t begin(const caller_view& caller);

  void complete(std::uint32_t at) noexcept;

  /// Moves the counts into `to` and starts from zero.
  void take(finding_delta& to);

 private:
  struct slot {
    std::size_t hash = 0;
    caller_count caller;
    std::uint32_t under_way = 0;
    [[nodiscard]] bool is_idle() const noexcept { return under_way == 0 && caller.count == 0; }
  };
  std::vector<slot> slots_;
  std::uint64_t others_ = 0;
};

}  // namespace scattergate::telemetry
