#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "telemetry/shapes/shape_details.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// A destination of the account's deltas: the audit log, the state file. A sink gets each delta
/// once, after the digest. Slow work belongs in run_turn(), which runs on the sink's own thread
/// (sink_thread). A sink that blocks, throws or runs out of memory doesn't affect the digest,
/// the workers or other sinks.
class sink {
 public:
  using clock = std::chrono::steady_clock;

  sink() = default;
  virtual ~sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  /// Accepts a delta completely, or throws and accepts nothing; then the account retries. Runs
  /// on the account's thread, so it must not wait for a disk or a peer. Returns true to request
  /// a turn at once.
  virtual bool accept(const shape_delta& /*delta*/) { return false; }

  /// Accepts the part of a delta that needs no memory, after accept() has failed repeatedly.
  virtual void accept_plainly(const shape_delta& /*delta*/) noexcept {}

  /// The digest has evicted the rows of these shapes (hashes in ascending order). Runs on the
  /// account's thread. Returns true to request a turn at once.
  virtual bool note_evicted(std::span<const std::uint64_t> /*shape_hashes*/) noexcept {
    return false;
  }

  /// The result of a turn, and when the next one is due at the latest.
  struct outcome {
    /// A problem: the next turn retries. Empty: the turn had nothing to do, so an earlier
    /// problem may persist.
    std::optional<text::result<void>> done{};
    clock::time_point next = clock::time_point::max();
  };

  /// Does the work that is due, on the sink's own thread. May block. An exception counts as a
  /// failure. `is_last`: no turn follows.
  virtual outcome run_turn(bool is_last) = 0;
};

}  // namespace scattergate::telemetry
