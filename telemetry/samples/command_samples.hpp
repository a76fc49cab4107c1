#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/options/options.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "telemetry/samples/rate_gate.hpp"
#include "wire/command.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::telemetry {

/// Keeps shapes (commands without values) of recent commands for /api/v1/samples, which
/// `scattergate verify --from` reads. With `verify.samples: values`, also keeps one command of
/// each shape with its values. Samples only commands that MongoDB can explain: up to ten per
/// second, plus up to a hundred new findings per second. When full, evicts the least recently
/// seen shapes. Thread-safety: any thread.
class command_samples {
 public:
  using clock = rate_gate::clock;

  /// The maximum number of shapes.
  static constexpr std::size_t most_shapes = 1000;
  static constexpr std::size_t most_bytes = 1U << 20;       ///< maximum size of all shapes and
                                                            ///< commands together, in bytes
  static constexpr std::size_t longest_command = 8U << 10;  ///< in bytes; only the shape of a
                                                            ///< longer command is kept

  /// `keep`: nothing, shapes, or also values (verify.samples).
  explicit command_samples(config::sample_content keep);

  /// Whether to keep this command by store(): true for at most ten commands per second. Workers
  /// call it for each command; usually costs one relaxed load.
  [[nodiscard]] bool choose(routing::command_kind kind, clock::time_point now) noexcept {
    return is_explained(kind) && regular_.pass(now);
  }

  /// Whether choose() is likely to return true for a command of this kind.
  [[nodiscard]] bool is_due(routing::command_kind kind, clock::time_point now) const noexcept {
    return is_explained(kind) && regular_.is_due(now);
  }

  /// Whether to keep this new finding by store(): true for at most a hundred per second. A new
  /// finding is a command to report, such as a scatter, whose shape is seen for the first time.
  [[nodiscard]] bool choose_finding(routing::command_kind kind,
                                    clock::time_point now) noexcept {
    return is_explained(kind) && findings_.pass(now);
  }

  /// Further facts about a command to store.
  struct note {
    bool is_finding = false;
    bool is_abridged = false;  ///< the command's body is incomplete: store() keeps only the
                               ///< shape
    wire::trace_id trace{};    ///< the command's trace; unset: none
  };

  /// Stores a command, and removes an earlier command of the same shape. Does nothing if
  /// another thread holds the lock. `memory`: scratch memory to compute the shape.
  void store(const wire::command& command, const routing::verdict& verdict, note of,
             routing::scratch& memory);

  /// Formats the samples: one JSON object per line, the most recently seen shape first.
  [[nodiscard]] std::string lines() const;

 private:
  struct sample {
    std::uint64_t shape_hash = 0;
    routing::command_kind command{};
    routing::routing_class routing{};
    bool is_finding = false;
    wire::trace_id trace;
    std::string ns;
    std::string shape;
    std::vector<std::byte> body;  // without session and concerns; empty: not kept

    [[nodiscard]] std::size_t bytes() const noexcept {
      return ns.size() + shape.size() + body.size();
    }
  };

  [[nodiscard]] static bool is_explained(routing::command_kind kind) noexcept {
    return routing::facts_of(kind).explained == routing::explain_support::plans;
  }
  [[nodiscard]] sample make(const wire::command& command, const routing::verdict& verdict,
                            note of, routing::scratch& memory) const;

  config::sample_content keep_;
  rate_gate regular_;
  rate_gate findings_;
  mutable std::mutex mutex_;
  std::list<sample> samples_;  // most recently seen first; guarded by mutex_, as are the
                               // members below
  std::unordered_map<std::uint64_t, std::list<sample>::iterator> by_shape_;
  std::size_t bytes_ = 0;
};

}  // namespace scattergate::telemetry
