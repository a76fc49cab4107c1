#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "telemetry/shapes/shape_details.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// A destination of counts, such as the audit log or the state file. The account passes it each
/// delta (a shape's new counts) once, after the digest has counted the delta. Slow work belongs
/// in run_turn(), which runs on the sink's own thread (sink_thread). A slow or failing sink
/// therefore doesn't affect the digest, the workers or other sinks.
class sink {
 public:
  using clock = std::chrono::steady_clock;

  sink() = default;
  virtual ~sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  /// Takes a delta (a shape's new counts). Either takes all of it, or throws and takes nothing;
  /// the account then retries. Runs on the account's thread, so it must not wait for a disk or
  /// a peer. Returns true to request a call of run_turn() now.
  virtual bool accept(const shape_delta& /*delta*/) { return false; }

  /// Counts a delta as exactly as is possible without allocating. The account calls it instead
  /// of accept() after accept() has failed three times.
  virtual void accept_plainly(const shape_delta& /*delta*/) noexcept {}

  /// Called when the digest (the table of all shapes) has evicted the rows of these shapes.
  /// `shape_hashes`: in ascending order. Runs on the account's thread. Returns true to request
  /// a call of run_turn() now.
  virtual bool note_evicted(std::span<const std::uint64_t> /*shape_hashes*/) noexcept {
    return false;
  }

  /// The result of a turn (one call of run_turn()), and when the next turn is due.
  struct outcome {
    /// Success, or the problem. Empty: the turn had nothing to do, so the result of the
    /// previous turn still holds.
    std::optional<text::result<void>> done{};
    /// When the next turn is due, also after a problem; max(): only on request.
    clock::time_point next = clock::time_point::max();
  };

  /// Does the work that is due: one "turn". sink_thread calls it on the sink's own thread; it
  /// may block. An exception counts as a failure, and the turn is retried soon. `is_last`: no
  /// further turn follows.
  virtual outcome run_turn(bool is_last) = 0;
};

}  // namespace scattergate::telemetry
