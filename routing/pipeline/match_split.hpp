#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/pipeline/path_history.hpp"
#include "routing/scratch.hpp"
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

/// The rules of a version of mongos.
[[nodiscard]] leaf_rules leaf_rules_of(server_version version) noexcept;

class bson_block;

/// Determines which parts of a $match mongos moves before the stages that precede it (mongo:
/// document_source_match.cpp, splitSourceBy; matcher/expression_algo.cpp,
/// splitMatchExpressionBy). Members of a conjunction move separately: a filter's fields, the
/// operators on one field, the members of an $and and of a $nor. An $or moves as a whole or not
/// at all. Thread-safety: one thread at a time.
class match_split {
 public:
  /// `passed`: the stages that precede the $match. `until`: a stage of `passed`; only the
  /// stages between it and the $match count. Null: all stages count. `passed` and `memory` must
  /// outlive this object. REQUIRES: passed.prepare() was called.
  match_split(const path_history& passed, const leaf_rules& rules, scratch& memory,
              const past_stage* until = nullptr) noexcept
      : passed_(passed), rules_(rules), memory_(memory), until_(until) {}

  /// The part of a filter's field that mongos moves, with the names that its fields have at the
  /// new position. std::nullopt if nothing moves, or the scratch memory is exhausted. REQUIRES:
  /// `part` isn't an $and.
  [[nodiscard]] std::optional<wire::element> moved(const wire::element& part) noexcept;

  /// Whether moved() returned nothing for a `$nor` because of a `$sampleRate` in it. mongos may
  /// move such a `$nor` nevertheless.
  [[nodiscard]] bool keeps_sample() const noexcept { return keeps_sample_; }

  /// Whether mongos moves one field of a filter as a whole. `depth`: the nesting depth of
  /// `part`.
  [[nodiscard]] bool is_free(const wire::element& part, std::uint32_t depth = 0) noexcept;

  /// Whether mongos moves one member of an $and, $or or $nor as a whole. `depth`: the nesting
  /// depth of `branch`.
  [[nodiscard]] bool is_free_branch(const wire::element& branch,
                                    std::uint32_t depth = 0) noexcept;

 private:
  [[nodiscard]] std::optional<wire::element> moved_field(const wire::element& part) noexcept;
  [[nodiscard]] std::optional<wire::element> moved_nor(const wire::element& part) noexcept;
  [[nodiscard]] bool is_separable(const wire::element& field) noexcept;
  [[nodiscard]] bool are_free(const wire::element& branches, std::uint32_t depth) noexcept;
  [[nodiscard]] bool is_path_free(std::string_view path, bool* reshaped = nullptr) noexcept;
  [[nodiscard]] leaf_rules rules_for(bool is_reshaped) const noexcept;
  [[nodiscard]] bool is_expression_free(const wire::element& expression,
                                        std::uint32_t depth) noexcept;

  void copy(bson_block& to, const wire::element& part) noexcept;
  void copy_branches(bson_block& to, const wire::element& list, bool free_alone) noexcept;
  void copy_expression(bson_block& to, const wire::element& expression) noexcept;

  const path_history& passed_;
  const leaf_rules rules_;
  scratch& memory_;
  const past_stage* until_;
  bool renames_ = false;  ///< a path has another name at the new position
  bool keeps_sample_ = false;
};

/// Which equalities of a $match mongos copies before a $redact. `plain`: only those written
/// without $eq, such as {a: 1}, as before 8.0. `none`: before 8.0, after mongos has rewritten
/// the $match, because it then writes all equalities with $eq. `any`: with or without $eq,
/// from 8.0 on.
enum class safe_equality : std::uint8_t { none, plain, any };

/// The part of a filter's field that mongos also applies before a $redact. It consists of the
/// conditions that can't become true because the $redact hides fields (mongo:
/// pipeline/document_source_match.cpp, redactSafePortion). std::nullopt if there is none, or
/// the scratch memory is exhausted.
[[nodiscard]] std::optional<wire::element> redact_portion(const wire::element& part,
                                                          safe_equality safe,
                                                          scratch& memory) noexcept;

}  // namespace scattergate::routing
