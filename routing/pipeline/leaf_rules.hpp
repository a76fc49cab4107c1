#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Which predicates mongos may move before a stage (mongo: matcher/expression_algo.cpp,
/// isIndependentOf, by MatchExpression::getCategory).
struct leaf_rules {
  bool arrays_move = false;       ///< $elemMatch, $size
  bool expressions_move = false;  ///< $expr

  /// Conditions that may match a missing field don't move before a stage that writes another
  /// part of the same document, because the stage may create the document.
  bool missing_stays = false;

  /// Whether a condition on a path may match if the field is missing, or in an array.
  [[nodiscard]] static bool may_match_missing(std::string_view path,
                                              const wire::element& condition,
                                              wire::work_budget& work) noexcept;

  /// Whether the whole condition on a field may move.
  [[nodiscard]] bool moves(const wire::element& condition, wire::work_budget& work,
                           std::uint32_t depth = 0) const noexcept;

  /// Whether one operator of a condition, such as `{$gt: 5}`, may move.
  [[nodiscard]] bool operator_moves(const wire::element& predicate, wire::work_budget& work,
                                    std::uint32_t depth = 0) const noexcept;
};

/// Whether predicates move as in 4.4: even conditions that may match missing fields move, and
/// conditions beside an $expr move past a $group. Also true for the pre-release 5.0 that was
/// recorded (tests/real). For later patch levels this isn't known; they get the wider answer.
[[nodiscard]] constexpr bool moves_as_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

[[nodiscard]] leaf_rules leaf_rules_of(server_version version) noexcept;

}  // namespace scattergate::routing
