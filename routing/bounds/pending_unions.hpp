#pragma once

#include "routing/bounds/key_bounds.hpp"
#include "routing/bounds/match_outline.hpp"
#include "routing/bounds/match_path.hpp"

/// The unions of a conjunction. mongos's planner bounds a key by one of them, beside the
/// predicates that stand around it (mongo: query/plan_enumerator.cpp, enumerateOneIndex), so
/// they wait until all of the conjunction has been read.
namespace scattergate::routing {

/// An `$or`, of a filter or of what an expression was rewritten to, or a conjunction that is
/// denied.
struct pending_union {
  enum class kind : std::uint8_t {
    branches,
    denied_branches,
    denied_parts,      ///< `branches` is one filter, its fields denied
    denied_operators,  ///< of the field `path`
  };
  wire::document_view branches;
  const rewritten_expression* rewritten = nullptr;  ///< null: `branches` say it
  const match_path* outer = nullptr;
  kind is = kind::branches;
  const match_path* path = nullptr;
  const pending_union* next = nullptr;
};

/// In the order in which they were read. Lies in the scratch.
/// Thread-safety: as the scratch.
class pending_unions {
 public:
  /// Where the scratch is exhausted it is forgotten, which only widens.
  void add(const pending_union& any, scratch& memory) noexcept {
    const auto kept = memory.take<pending_union>(1);
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

/// The union that bounds a conjunction, of those looked at so far.
struct union_choice {
  const pending_union* any = nullptr;
  const match_node* outline = nullptr;  ///< null: not made yet
  key_bounds bounds;
};

}  // namespace scattergate::routing
