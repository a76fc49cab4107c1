#pragma once

#include "routing/statements/statement.hpp"
#include "routing/statements/touch_log.hpp"

namespace scattergate::routing {

/// Puts the statements of one command together: the worst one that mongos runs decides, the
/// fan-outs unite.
class verdict_builder {
 public:
  verdict_builder(verdict& to, const judging& with) noexcept : to_(to), with_(with) {}

  /// Takes the only statement of a command that is no batch.
  void add(const statement& one) noexcept { (void)put(one, to_.ns()); }

  /// Adds a batch's statement, counted under this name. True where what it points to in the
  /// scratch must stay there.
  bool add(const statement& one, wire::namespace_view on) noexcept {
    with_.touches.add(on, one);
    ++added_;
    return put(one, on);
  }

  /// Makes statements that each need one shard, but not the same one, multi_shard together:
  /// the documents of an insert are one statement to its sender.
  void take_as_one() noexcept { as_one_ = true; }

  /// What mongos doesn't come to behind a statement that it refuses doesn't count.
  void stop_at_refusal() noexcept { is_ordered_ = true; }

  /// Fills in what only the whole tells. A batch of nothing is unknown.
  void finish() noexcept;

  /// Makes nothing of what was added count, nor of what is yet to come: mongos refuses it all.
  void refuse_all(const statement& one, wire::namespace_view on) noexcept;

  /// The statements of a batch that were added.
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
  std::size_t count_ = 0;  // of the statements that count
  bytes_view first_point_;
  const collection* first_judged_ = nullptr;
  bool as_one_ = false;
  bool is_ordered_ = false;
  bool is_refused_ = false;  // the command as a whole
  bool has_run_ = false;     // mongos runs one of them
  bool has_refused_ = false;
  bool points_differ_ = false;
  bool fanout_known_ = true;
  bool sent_everywhere_ = false;
};

}  // namespace scattergate::routing
