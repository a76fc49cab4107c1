#pragma once

#include "routing/bounds/key_bounds.hpp"
#include "routing/bounds/match_draft.hpp"
#include "routing/bounds/match_path.hpp"

/// Stores the unions in a conjunction until the whole conjunction has been read. A union is an
/// $or or a negated conjunction. Unions must wait because mongos's planner takes bounds from
/// only one of them, combined with the predicates next to it (mongo: query/plan_enumerator.cpp,
/// enumerateOneIndex).
namespace scattergate::routing {

/// A union to process later: an $or in a filter or in a rewritten $expr, or a negated
/// conjunction.
struct pending_union {
  enum class kind : std::uint8_t {
    branches,           ///< `branches` is the list of an $or
    negated_branches,   ///< `branches` is the list of a negated $and
    negated_parts,      ///< `branches` is a negated filter: the union of its negated fields
    negated_operators,  ///< `branches` are the negated operators on `path`: the union of their
                        ///< negations
  };
  wire::document_view branches;                     ///< the members of the union; see kind
  const rewritten_expression* rewritten = nullptr;  ///< a disjunction in a rewritten $expr;
                                                    ///< null: the union is in `branches`
  const match_path* outer = nullptr;  ///< the path of the $elemMatch around the union; null:
                                      ///< none
  kind is = kind::branches;
  const match_path* path = nullptr;     ///< for negated_operators: the path of the operators
  const match_draft* node = nullptr;    ///< an $or of the planned tree; null: the union is in
                                        ///< `branches` or `rewritten`
  const pending_union* next = nullptr;  ///< the next union of the list
};

/// A linked list of unions, in the order of the filter, in the scratch memory. Thread-safety:
/// one thread at a time.
class pending_unions {
 public:
  /// Appends a copy of `any`. If the scratch memory is exhausted, drops the union, which makes
  /// bounds wider.
  void add(const pending_union& any, scratch& memory) noexcept {
    const auto kept = memory.allocate<pending_union>(1);
    if (kept.empty()) return;
    kept[0] = any;
    (last_ != nullptr ? last_->next : first_) = kept.data();
    last_ = kept.data();
  }

  /// The first union; null if there is none.
  [[nodiscard]] const pending_union* first() const noexcept { return first_; }

 private:
  const pending_union* first_ = nullptr;
  pending_union* last_ = nullptr;
};

/// While several unions are compared: the best candidate so far for the union from which mongos
/// takes bounds.
struct union_choice {
  const pending_union* any = nullptr;   ///< the union; null: none yet
  const match_node* outline = nullptr;  ///< the outline of `any`; null: not built yet
  key_bounds bounds;                    ///< the bounds of `any`
};

}  // namespace scattergate::routing
