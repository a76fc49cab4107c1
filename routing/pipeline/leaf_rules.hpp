#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Which predicates may move at all, depending on whether mongos can rename them (mongo:
/// matcher/expression_algo.cpp, isIndependentOf, by MatchExpression::getCategory).
struct leaf_rules {
  bool arrays_move = false;       ///< $elemMatch, $size
  bool expressions_move = false;  ///< $expr

  /// A condition that may match a missing field stays behind a stage that writes to another
  /// part of that document, because the stage may create it.
  bool missing_stays = false;

  /// Whether a condition on a path may match a missing field, or in an array.
  [[nodiscard]] static bool may_match_missing(std::string_view path,
                                              const wire::element& condition,
                                              wire::work_budget& work) noexcept;

  /// Whether a field's whole condition may move.
  [[nodiscard]] bool moves(const wire::element& condition, wire::work_budget& work,
                           std::uint32_t depth = 0) const noexcept;

  /// Whether one operator of a condition may move: `{$gt: 5}`.
  [[nodiscard]] bool operator_moves(const wire::element& predicate, wire::work_budget& work,
                                    std::uint32_t depth = 0) const noexcept;
};

/// Whether predicates move as in 4.4: also true for the 5.0 that was recorded before its first
/// release (tests/real). There, conditions that may match missing fields also move, and
/// conditions beside an $expr move past a $group. For later patch levels that isn't known; they
/// get the wider answer.
[[nodiscard]] constexpr bool moves_as_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

[[nodiscard]] leaf_rules leaf_rules_of(server_version version) noexcept;

}  // namespace scattergate::routing
