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

/// The shapes of commands that came by lately, one command of each where `verify.samples` asks
/// for values: what `scattergate verify --from` reads at /api/v1/samples. Only commands that
/// MongoDB explains are taken, never one that authenticates; ten a second at most, and findings
/// at first sight, a hundred a second at most. The shapes seen longest ago make room.
/// Thread-safety: any thread.
class command_samples {
 public:
  using clock = rate_gate::clock;

  static constexpr std::size_t most_shapes = 1000;
  static constexpr std::size_t most_bytes = 1U << 20;       ///< of shapes and commands together
  static constexpr std::size_t longest_command = 8U << 10;  ///< a longer one leaves its shape

  explicit command_samples(config::sample_content keep);

  /// Chooses a command now and then: whether this one should be taken. On every command's way:
  /// one relaxed load.
  [[nodiscard]] bool choose(routing::command_kind kind, clock::time_point now) noexcept {
    return is_explained(kind) && regular_.pass(now);
  }

  /// Whether choose() is likely to be true.
  [[nodiscard]] bool is_due(routing::command_kind kind, clock::time_point now) const noexcept {
    return is_explained(kind) && regular_.is_due(now);
  }

  /// The same for a finding that is seen for the first time.
  [[nodiscard]] bool choose_finding(routing::command_kind kind,
                                    clock::time_point now) noexcept {
    return is_explained(kind) && findings_.pass(now);
  }

  /// What else there is to say of a command.
  struct note {
    bool is_finding = false;
    bool is_abridged = false;  ///< it leaves its shape alone
    wire::trace_id trace{};    ///< that it belongs to
  };

  /// Takes a command, in place of an earlier one of its shape, unless another thread is at work
  /// here. `memory` is lent for the shape.
  void take(const wire::command& command, const routing::verdict& verdict, note of,
            routing::scratch& memory);

  /// One JSON object a line, the shape seen last first.
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
  std::list<sample> samples_;  // under mutex_, and all below; the last seen first
  std::unordered_map<std::uint64_t, std::list<sample>::iterator> by_shape_;
  std::size_t bytes_ = 0;
};

}  // namespace scattergate::telemetry
