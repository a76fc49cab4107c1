#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "telemetry/shapes/shape_details.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Where what the account adds up goes on to: the audit log, the state file. A sink gets each
/// delta that workers hand over, once, after the digest has it; its turns, in which it does
/// what may take long, are on a thread of its own (sink_thread). One that blocks, throws or is
/// out of memory costs the digest, the workers and other sinks nothing.
class sink {
 public:
  using clock = std::chrono::steady_clock;

  sink() = default;
  virtual ~sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  /// Takes a delta, all of it, or, where it throws, nothing: then it is tried again. On the
  /// account's thread: waits for no disk and no peer. Whether it asks for a turn at once.
  virtual bool take(const shape_delta& /*delta*/) { return false; }

  /// Takes what take() failed with, as far as that needs no memory.
  virtual void take_plainly(const shape_delta& /*delta*/) noexcept {}

  /// The digest has given up rows of these shapes, in ascending order, to make room. On the
  /// account's thread. Whether it asks for a turn at once.
  virtual bool note_evicted(std::span<const std::uint64_t> /*shape_hashes*/) noexcept {
    return false;
  }

  /// How a turn went, and when the next one is due at the latest.
  struct outcome {
    /// What a problem says is tried again in the next turn. Nothing: there was nothing to do,
    /// and what was wrong may still be.
    std::optional<text::result<void>> done{};
    clock::time_point next = clock::time_point::max();
  };

  /// Does what is due, on the sink's own thread. May block, and may throw, which is a failure.
  /// `is_last`: nothing comes after it.
  virtual outcome turn(bool is_last) = 0;
};

}  // namespace scattergate::telemetry
