#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Which kinds of predicates mongos may move before a stage (mongo:
/// matcher/expression_algo.cpp, isIndependentOf, by MatchExpression::getCategory).
struct leaf_rules {
  bool arrays_move = false;       ///< predicates on arrays: $elemMatch, $size
  bool expressions_move = false;  ///< $expr

  /// Whether a condition that may match a missing field stays behind a stage that writes
  /// another field of the same embedded document. The stage may create that document.
  bool missing_stays = false;

  bool constant_samples_move = false;  ///< $sampleRate of 0 or 1, which is a constant $expr

  /// Whether a condition on `path` may match a document without the field: the condition
  /// contains null, undefined, MinKey or MaxKey, or `path` contains a digit, perhaps of an
  /// array index.
  [[nodiscard]] static bool may_match_missing(std::string_view path,
                                              const wire::element& condition,
                                              wire::work_budget& work) noexcept;

  /// Whether the whole condition on a field may move. `depth`: its nesting depth.
  [[nodiscard]] bool moves(const wire::element& condition, wire::work_budget& work,
                           std::uint32_t depth = 0) const noexcept;

  /// Whether one operator of a condition, such as {$gt: 5}, may move. `depth`: its nesting
  /// depth.
  [[nodiscard]] bool operator_moves(const wire::element& predicate, wire::work_budget& work,
                                    std::uint32_t depth = 0) const noexcept;
};

/// Whether predicates move as in 4.4: conditions that may match missing fields move too, and
/// conditions next to an $expr move past a $group. True for 5.0.0-rc0, too (recorded in
/// tests/real). Not known for later patch levels of 5.0: false, so more shards may be
/// predicted than mongos asks.
[[nodiscard]] constexpr bool moves_as_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

/// The rules of a version of mongos.
[[nodiscard]] leaf_rules leaf_rules_of(server_version version) noexcept;

}  // namespace scattergate::routing
