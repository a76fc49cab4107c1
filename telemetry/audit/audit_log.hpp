#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// The audit log: gathers what the workers hand over in the digest, writes a line when a
/// finding is first seen and then one per interval with what came since (docs/audit.md). A
/// write that fails is counted, and what it would have said stays outstanding. Thread-safety:
/// any thread may call; one thread of its own writes.
class audit_log {
 public:
  struct settings {
    std::string file;  ///< a path (created 0640, appended to), `-` for standard output, `off`
    std::chrono::milliseconds interval{60'000};
    std::size_t max_shapes = 10'000;
    std::chrono::nanoseconds quiet = std::chrono::hours{24};  ///< then a finding is given back
    std::string local;  ///< the listener's address, for the envelope's `local`
    condition_board* conditions = nullptr;  ///< is told while it can't be written
  };

  struct counts {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::uint64_t write_failures = 0;
    std::uint64_t findings = 0;     ///< commands that the written lines stand for
    std::uint64_t overflow = 0;     ///< commands folded into `__other__`
    std::uint64_t outstanding = 0;  ///< commands not written yet
    std::uint64_t given_back = 0;   ///< findings that were quiet, and are told apart no more
  };

  /// Called for each (namespace, shape) that no line was written for before.
  using on_new_shape =
      std::function<void(std::string_view database, std::string_view collection)>;

  /// Throws std::runtime_error where the file can't be opened.
  /// `into`: where all shapes are added up; it must outlive this.
  audit_log(settings with, live_digest& into, on_new_shape new_shape);
  ~audit_log();  ///< closes

  /// How many shapes are handed over at once, and how many wait for the writing thread before
  /// further ones should rather wait where they are counted.
  static constexpr std::size_t batch = 256;
  static constexpr std::size_t most_waiting = 16 * batch;

  /// Whether shapes should be handed over now: the thread isn't stuck in a write.
  [[nodiscard]] bool has_room() const noexcept;

  /// Hands over what was counted, has_room() or not; returns at once.
  void submit(std::vector<shape_delta> deltas);

  void reopen();  ///< USR1: opens the file anew
  void set_times(std::chrono::milliseconds interval, std::chrono::nanoseconds quiet);  ///< HUP
  void set_local(std::string local);

  /// Writes all that is outstanding, closes the file and ends the thread.
  void close();

  [[nodiscard]] counts totals() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
