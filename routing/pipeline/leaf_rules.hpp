#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Which predicates may leave their place at all, as mongos knows how to rename them (mongo:
/// matcher/expression_algo.cpp, isIndependentOf, by MatchExpression::getCategory).
struct leaf_rules {
  bool arrays_move = false;       ///< $elemMatch, $size
  bool expressions_move = false;  ///< $expr

  /// What may match where there is nothing stays behind a stage that writes to another part of
  /// the same document, which may bring that document about.
  bool missing_stays = false;

  /// Whether a condition on a path may match where there is nothing, or in an array.
  [[nodiscard]] static bool may_match_missing(std::string_view path,
                                              const wire::element& condition,
                                              wire::work_budget& work) noexcept;

  /// Whether all of a field's condition may.
  [[nodiscard]] bool moves(const wire::element& condition, wire::work_budget& work,
                           std::uint32_t depth = 0) const noexcept;

  /// Whether one operator of it may: `{$gt: 5}`.
  [[nodiscard]] bool operator_moves(const wire::element& predicate, wire::work_budget& work,
                                    std::uint32_t depth = 0) const noexcept;
};

/// Whether predicates move as in 4.4, which the 5.0 does that was recorded before its first
/// release (tests/real): what may match nothing, too, and past a $group what stands beside an
/// $expr. Of later patch levels that isn't known; theirs is the wider answer.
[[nodiscard]] constexpr bool moves_as_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

[[nodiscard]] leaf_rules leaf_rules_of(server_version version) noexcept;

}  // namespace scattergate::routing
