#include "routing/bounds/match_draft.hpp"

#include <utility>

namespace scattergate::routing {

void match_draft::add(match_draft* child) noexcept {
  child->next = nullptr;
  (last != nullptr ? last->next : first) = child;
  last = child;
  ++count;
}

void match_draft::simplify() noexcept {
  if (kind == match_kind::all) absorb(true);
  if (kind == match_kind::any) absorb(false);
  if (kind == match_kind::any && count == 0) kind = match_kind::always_false;
  if (kind == match_kind::nor && count == 1) kind = match_kind::not_;
}

bool match_draft::fold_negation() noexcept {
  bool has_folded = false;
  if (kind == match_kind::nor) {
    match_draft* child = std::exchange(first, nullptr);
    last = nullptr;
    count = 0;
    bool is_negated = false;
    while (child != nullptr) {
      match_draft* const after = child->next;
      is_negated |= child->is_true();
      has_folded |= child->is_true() || child->is_false();
      if (!child->is_false()) add(child);
      child = after;
    }
    if (is_negated) *this = match_draft{match_kind::always_false};
    if (kind == match_kind::nor && count == 0) kind = match_kind::all;
    if (kind == match_kind::nor && count == 1) kind = match_kind::not_;
  } else if (kind == match_kind::not_ && (first->is_false() || first->is_true())) {
    has_folded = true;
    *this = match_draft{first->is_false() ? match_kind::all : match_kind::always_false};
  }
  return has_folded;
}

/// Merges children of this node's own kind into it, after its other children; removes children
/// that don't affect the result; becomes constant if one child decides the result. `conjoins`:
/// the node is a conjunction, not a disjunction.
void match_draft::absorb(bool conjoins) noexcept {
  match_draft* child = first;
  match_draft absorbed{kind};
  const match_draft* decisive = nullptr;
  first = last = nullptr;
  count = 0;
  const auto take = [&](match_draft* one) {
    if (conjoins ? one->is_true() : one->is_false()) return;
    if (conjoins ? one->is_false() : one->is_true()) decisive = one;
    add(one);
  };
  while (child != nullptr) {
    match_draft* const after = child->next;
    if (child->kind == kind && child->first != nullptr) {
      (absorbed.last != nullptr ? absorbed.last->next : absorbed.first) = child->first;
      absorbed.last = child->last;
    } else {
      take(child);
    }
    child = after;
  }
  for (match_draft* one = absorbed.first; one != nullptr;) {
    match_draft* const after = one->next;
    take(one);
    one = after;
  }
  if (decisive != nullptr) *this = match_draft{decisive->kind};
}

}  // namespace scattergate::routing
