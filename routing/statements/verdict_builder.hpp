#pragma once

#include "routing/statements/statement.hpp"
#include "routing/statements/touch_log.hpp"

namespace scattergate::routing {

/// Combines the judgements of a command's statements into the verdict. Among the statements
/// that mongos sends to shards, the one with the worst class decides; their fan-outs are
/// united. If mongos sends no statement, the rejected statements decide. Thread-safety: one
/// thread at a time.
class verdict_builder {
 public:
  /// `to`: the verdict to complete, whose namespace is already set. `to` and `context` must
  /// outlive this object.
  verdict_builder(verdict& to, const judging_context& context) noexcept
      : to_(to), context_(context) {}

  /// Adds the only statement of a command that isn't a batch.
  void add(const statement& one) noexcept;

  /// Adds a statement of a batch, on the namespace `on`. If it returns true, the verdict refers
  /// to the statement's allocations, so the caller must not free them from the scratch memory.
  bool add(const statement& one, wire::namespace_view on) noexcept;

  /// Judges all statements as one: if single-shard statements go to different shards, the
  /// verdict is multi_shard. Used for an insert, because an application sends its documents as
  /// one statement.
  void take_as_one() noexcept { as_one_ = true; }

  /// Ignores all statements after the first that mongos or a shard rejects, because an ordered
  /// batch ends there.
  void stop_at_refusal() noexcept { is_ordered_ = true; }

  /// Completes the verdict. If no statement was added, the verdict is `unknown`.
  void finish() noexcept;

  /// Makes the verdict that mongos rejects the whole command with this error. Earlier and later
  /// statements only add touches and to the fan-out of what is rejected. `judged`, `on`: the
  /// verdict's collection and namespace.
  void reject(refusal error, const collection* judged, wire::namespace_view on) noexcept;

  /// The number of statements that were added.
  [[nodiscard]] std::size_t added() const noexcept { return added_; }

 private:
  [[nodiscard]] statement as_rejected(const statement& one) const noexcept;
  bool put(const statement& one, wire::namespace_view on) noexcept;
  bool note_unrouted(const statement& one) noexcept;
  [[nodiscard]] bool counts(const statement& one) noexcept;
  void take_over(const statement& one, wire::namespace_view on) noexcept;
  bool unite(const statement& one) noexcept;
  void forget() noexcept;

  verdict& to_;
  const judging_context& context_;
  std::size_t added_ = 0;
  std::size_t count_ = 0;  // statements that affect the verdict; see counts()
  bytes_view first_point_;
  const collection* first_judged_ = nullptr;
  bool as_one_ = false;
  bool is_ordered_ = false;
  refusal whole_error_ = refusal::none;  // mongos rejects the whole command with this error
  bool has_sent_ = false;                // mongos sends at least one statement to shards
  bool has_refused_ = false;
  bool points_differ_ = false;
  bool fanout_known_ = true;
  bool sent_everywhere_ = false;
};

}  // namespace scattergate::routing
