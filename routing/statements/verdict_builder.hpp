#pragma once

#include "routing/statements/statement.hpp"
#include "routing/statements/touch_log.hpp"

namespace scattergate::routing {

/// Combines the judgements of a command's statements into its verdict: the worst one that
/// mongos sends decides, and fan-outs are united. Thread-safety: one thread at a time.
class verdict_builder {
 public:
  verdict_builder(verdict& to, const judging& with) noexcept : to_(to), with_(with) {}

  /// Adds the statement of a command that isn't a batch.
  void add(const statement& one) noexcept { (void)put(one, to_.ns()); }

  /// Adds a statement of a batch, which counts under the namespace `on`. Returns true if its
  /// data in the scratch memory must be kept.
  bool add(const statement& one, wire::namespace_view on) noexcept {
    with_.touches.add(on, one);
    ++added_;
    return put(one, on);
  }

  /// Counts all statements as one: several single-shard statements on different shards are
  /// multi_shard. For inserts, whose documents are one statement to the application.
  void take_as_one() noexcept { as_one_ = true; }

  /// Ignores statements after one that mongos or a shard rejects: an ordered batch stops there.
  void stop_at_refusal() noexcept { is_ordered_ = true; }

  /// Completes the verdict. An empty batch is unknown.
  void finish() noexcept;

  /// Makes `one` the verdict and ignores all other statements, because mongos rejects the whole
  /// command.
  void refuse_all(const statement& one, wire::namespace_view on) noexcept;

  /// The number of statements that were added.
  [[nodiscard]] std::size_t added() const noexcept { return added_; }

 private:
  bool put(const statement& one, wire::namespace_view on) noexcept;
  [[nodiscard]] bool counts(const statement& one) noexcept;
  void take_over(const statement& one, wire::namespace_view on) noexcept;
  bool unite(const statement& one) noexcept;
  void forget() noexcept;

  verdict& to_;
  const judging& with_;
  std::size_t added_ = 0;
  std::size_t count_ = 0;  // statements that count
  bytes_view first_point_;
  const collection* first_judged_ = nullptr;
  bool as_one_ = false;
  bool is_ordered_ = false;
  bool is_refused_ = false;  // the command as a whole
  bool has_sent_ = false;    // mongos sends at least one to shards
  bool has_refused_ = false;
  bool points_differ_ = false;
  bool fanout_known_ = true;
  bool sent_everywhere_ = false;
};

}  // namespace scattergate::routing
