#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Which kinds of conditions in a $match mongos may move before the preceding stage (mongo:
/// matcher/expression_algo.cpp, isIndependentOf, by MatchExpression::getCategory).
struct leaf_rules {
  bool arrays_move = false;       ///< conditions on arrays may move: $elemMatch, $size
  bool expressions_move = false;  ///< an $expr may move

  /// A condition on a field of an embedded document doesn't move if it may match a missing
  /// field, and the stage writes another field of this document. The stage may create the
  /// document.
  bool missing_stays = false;

  bool constant_samples_move = false;  ///< a $sampleRate of 0 or 1 may move, because it is a
                                       ///< constant $expr

  /// Whether a condition on `path` may match a document without the field: the condition
  /// contains null, undefined, MinKey or MaxKey, or `path` contains a digit, perhaps of an
  /// array index.
  [[nodiscard]] static bool may_match_missing(std::string_view path,
                                              const wire::element& condition,
                                              wire::work_budget& work) noexcept;

  /// Whether the whole condition on a field, such as {$gt: 5, $lt: 9}, may move. `depth`: the
  /// nesting depth of `condition`.
  [[nodiscard]] bool moves(const wire::element& condition, wire::work_budget& work,
                           std::uint32_t depth = 0) const noexcept;

  /// Whether one operator of a condition, such as $gt, may move without the others. `depth`:
  /// the nesting depth of `predicate`.
  [[nodiscard]] bool operator_moves(const wire::element& predicate, wire::work_budget& work,
                                    std::uint32_t depth = 0) const noexcept;
};

/// Whether conditions move as in 4.4: those that may match missing fields move too, and those
/// next to an $expr move past a $group. Also true for 5.0.0, of which a pre-release was
/// recorded (tests/real). Not known for later patch levels of 5.0: false, so more shards may be
/// predicted than mongos asks.
[[nodiscard]] constexpr bool moves_as_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

/// The rules of a version of mongos.
[[nodiscard]] leaf_rules leaf_rules_of(server_version version) noexcept;

}  // namespace scattergate::routing
