#pragma once

#include "routing/statement.hpp"

namespace scattergate::routing {

/// Puts the statements of one command together: the worst one decides, the fan-outs unite.
/// Thread-safety: one thread.
class verdict_builder {
 public:
  verdict_builder(verdict& to, const judging& with) noexcept : to_(to), with_(with) {}

  /// Adds a statement. What it points to in the scratch may be rewound afterwards unless
  /// this addition made holds_scratch() true. `database` and `name` are what it would be
  /// counted under.
  void add(const statement& one, std::string_view database, std::string_view name) noexcept;
  void add(const statement& one) noexcept { add(one, to_.database, to_.collection); }

  /// Makes statements that each need one shard, but not the same one, multi_shard together:
  /// the documents of an insert are one statement to its sender.
  void take_as_one() noexcept { as_one_ = true; }

  /// Whether it holds on to what a statement left in the scratch: to the first one's on a
  /// sharded collection.
  [[nodiscard]] bool holds_scratch() const noexcept { return first_judged_ != nullptr; }

  /// Fills in what only the whole tells. An empty batch is unsharded.
  void finish() noexcept;

 private:
  void take_over(const statement& one, std::string_view database,
                 std::string_view name) noexcept;
  void unite(const statement& one) noexcept;

  verdict& to_;
  const judging& with_;
  std::size_t count_ = 0;
  bytes_view first_point_;
  const collection* first_judged_ = nullptr;
  bool as_one_ = false;
  bool points_differ_ = false;
  bool fanout_known_ = true;
  bool sent_everywhere_ = false;
};

}  // namespace scattergate::routing
