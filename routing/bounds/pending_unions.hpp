#pragma once

#include "routing/bounds/key_bounds.hpp"
#include "routing/bounds/match_outline.hpp"
#include "routing/bounds/match_path.hpp"

/// The unions ($or and the like) in a conjunction. mongos's planner bounds a key by only one of
/// them, combined with the surrounding predicates (mongo: query/plan_enumerator.cpp,
/// enumerateOneIndex), so they are processed after the whole conjunction has been read.
namespace scattergate::routing {

/// A union to process later: an `$or` in a filter or a rewritten expression, or a negated
/// conjunction.
struct pending_union {
  enum class kind : std::uint8_t {
    branches,
    denied_branches,
    denied_parts,      ///< `branches` is one filter, whose fields are negated
    denied_operators,  ///< on the field `path`
  };
  wire::document_view branches;
  const rewritten_expression* rewritten = nullptr;  ///< null: see `branches`
  const match_path* outer = nullptr;
  kind is = kind::branches;
  const match_path* path = nullptr;
  const pending_union* next = nullptr;
};

/// A list of unions, in reading order, in the scratch memory. Thread-safety: as for the scratch
/// memory.
class pending_unions {
 public:
  /// Appends a union. If the scratch memory is exhausted, drops it, which only widens the
  /// bounds.
  void add(const pending_union& any, scratch& memory) noexcept {
    const auto kept = memory.allocate<pending_union>(1);
    if (kept.empty()) return;
    kept[0] = any;
    (last_ != nullptr ? last_->next : first_) = kept.data();
    last_ = kept.data();
  }

  [[nodiscard]] const pending_union* first() const noexcept { return first_; }

 private:
  const pending_union* first_ = nullptr;
  pending_union* last_ = nullptr;
};

/// The best candidate so far for the union that bounds a conjunction.
struct union_choice {
  const pending_union* any = nullptr;
  const match_node* outline = nullptr;  ///< null: not built yet
  key_bounds bounds;
};

}  // namespace scattergate::routing
