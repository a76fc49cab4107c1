// The part of filter_walk that reads $or.

#include <algorithm>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/filter_walk_siblings.hpp"
#include "routing/bounds/planned_walk.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// Whether a branch may have a condition that mongos before 8.0 knows to be never true:
/// $alwaysFalse, an empty $all, or a $jsonSchema.
bool may_have_never(document_view branches, wire::work_budget& work) noexcept {
  const auto bytes = branches.bytes();
  work.charge(bytes.size() / 16);
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return text.find("$al") != text.npos || text.find("$jsonSchema") != text.npos;
}

/// The branch with which mongos replaces an `$or`, because all other branches certainly match
/// nothing (mongo: matcher/expression_tree.cpp, ListOfMatchExpression::getOptimizer).
/// std::nullopt if several branches may match a document, if none does, or if in doubt.
/// REQUIRES: the version is before 8.0.
std::optional<document_view> only_possible_branch(document_view branches,
                                                  const outline_rules& rules,
                                                  scratch& memory) noexcept {
  if (!may_have_never(branches, memory.work())) return std::nullopt;
  std::optional<document_view> left;
  wire::metered_reader reader{branches, memory.work()};
  for (element branch; reader.next(branch);) {
    const auto filter = branch.as_document();
    const match_node* tree = filter ? outline_of(*filter, rules, memory) : nullptr;
    if (tree == nullptr) return std::nullopt;
    if (tree->kind == match_kind::always_false) continue;
    if (left) return std::nullopt;
    left = filter;
  }
  return left;
}

}  // namespace

/// Reads a disjunction of the branches; if `at` is negated, of their negations.
bool filter_walk::walk_any(document_view branches, const match_path* outer,
                           const place& at) noexcept {
  const bool is_one = may_simplify() ? only_member(branches, work_).has_value()
                                     : wire::count_fields(branches, work_) == 1;
  if (is_one) return walk_all(branches, outer, at);
  if (at.negated) return walk_any_negated(branches, true, outer, at);
  facts_.has_alternatives = true;
  if (at.unions == nullptr) return walk_all(branches, outer, at);
  // Later versions: see may_lose_branches().
  const auto left =
      may_simplify() ? std::nullopt : only_possible_branch(branches, outlining(), memory_);
  if (left) return walk_aside(branches, outer) && walk(*left, outer, at);
  const match_path* kept = outer == nullptr ? nullptr : keep(*outer, memory_);
  if (outer != nullptr && kept == nullptr) return true;
  at.unions->add({.branches = branches, .outer = kept}, memory_);
  return true;
}

/// Selects the union from which mongos takes the bounds of a conjunction, and narrows `bounds`
/// by it. `outside`: the fields on which the surrounding conditions have predicates that an
/// index can support. Sets `uses_index` if an index can support the conjunction.
bool filter_walk::resolve(const pending_unions& waiting, key_bounds& bounds,
                          key_field_set outside, bool& uses_index) noexcept {
  outside.unite(bounds.indexable);
  uses_index = !bounds.indexable.is_empty() && outside.contains(0) && !bounds.is_false;
  union_choice choice;
  for (const pending_union* each = waiting.first(); each != nullptr; each = each->next) {
    key_bounds united;
    bool fits = false;
    // mongos doesn't combine an $or within an $elemMatch with predicates outside of it.
    const key_field_set known = each->outer == nullptr ? outside : key_field_set{};
    if (!unite(*each, known, united, fits)) return false;
    bounds.named.unite(united.named);
    bounds.is_false |= united.is_false;
    if (!fits) continue;
    if (choice.any == nullptr) {
      choice = {each, nullptr, united};
    } else if (may_simplify() && !is_planned_) {
      // It isn't certain which form mongos plans, so unite the candidates.
      facts_.has_union_choice = true;
      bounds_union any{target_.key.size(), memory_};
      any.add(choice.bounds);
      any.add(united);
      choice.bounds = any.finish();
    } else if (comes_first(*each, choice)) {
      choice.any = each;
      choice.bounds = united;
    }
  }
  if (choice.any == nullptr) return true;
  settle(bounds, choice);
  uses_index = !bounds.is_false;
  return true;
}

/// Whether a branch and the conditions outside all $ors contradict each other on a field.
bool filter_walk::is_empty_beside(const key_bounds& branch) noexcept {
  for (std::size_t i = 0; i < branch.fields.size() && i < bounds_.fields.size(); ++i) {
    const interval_set& mine = branch.fields[i];
    const interval_set& outer = bounds_.fields[i];
    if (mine.is_empty() || outer.is_empty()) return true;
    if (mine.is_full() || outer.is_full()) continue;
    if (mine.intersected(outer, memory_).is_empty()) return true;
  }
  return false;
}

void filter_walk::settle(key_bounds& bounds, const union_choice& choice) noexcept {
  if (choice.any->outer != nullptr) {  // mongos doesn't combine it with the conditions next to
                                       // it
    key_bounds alone = key_bounds::unbounded(target_.key.size(), memory_);
    alone.named = bounds.named;
    alone.is_false = bounds.is_false;
    bounds = alone;
  }
  bounds.intersect(choice.bounds, memory_);
}

/// Computes the union of the branches. Each branch may use the predicates on `outside` to be
/// supported by an index. Sets `uses_index` if an index can support every branch.
bool filter_walk::unite(const pending_union& any, key_field_set outside, key_bounds& united,
                        bool& uses_index) noexcept {
  if (!depth_.enter()) return fail(filter_fault::too_deep);
  bounds_union branches{target_.key.size(), memory_};
  uses_index = true;
  bool sound = true;
  if (any.node != nullptr) {
    for (const auto* each = any.node->first; each != nullptr; each = each->next) {
      sound &= unite_branch(branches, outside, uses_index, [&](const place& within) {
        planned_walk{*this}.read_node(*each, any.outer, within);
        return true;
      });
    }
  } else if (any.rewritten != nullptr) {
    for (auto* each = any.rewritten->first; sound && each != nullptr; each = each->next) {
      sound = unite_branch(branches, outside, uses_index,
                           [&](const place& within) { return walk_rewritten(*each, within); });
    }
  } else {
    siblings others{any.branches, work_};
    wire::metered_reader reader{any.branches, work_};
    for (element branch; sound && reader.next(branch);) {
      sound = unite_branch(branches, outside, uses_index, [&](place within) {
        within.negated = any.is != pending_union::kind::branches;
        return walk_branch(any, branch, others, within);
      });
    }
    if (sound && reader.is_corrupt()) sound = fail(filter_fault::unreadable);
  }
  depth_.leave();
  if (!sound) return false;
  facts_.or_lost_leading |= !uses_index && branches.has_bounded_leading();
  united = branches.finish();
  // mongos merges branches that are equal equalities (mongo: expression_optimizer.cpp,
  // listOfOptimizer).
  const bool is_one_value =
      may_simplify() && branches.is_of_several() &&
      std::ranges::any_of(united.fields, [](const interval_set& set) {
        return set.intervals().size() == 1 && set.intervals()[0].is_point();
      });
  facts_.has_collapsed |= !is_planned_ && branches.is_one_of_several();
  facts_.has_one_value |= !is_planned_ && is_one_value;
  facts_.has_hashed_branch |=
      target_.hashed_field >= 0 &&
      united.named.contains(static_cast<std::size_t>(target_.hashed_field));
  united.is_false = branches.has_none();
  return true;
}

bool filter_walk::walk_branch(const pending_union& any, const element& branch, siblings& others,
                              const place& within) noexcept {
  using kind = pending_union::kind;
  if (any.is == kind::negated_operators)
    return walk_operator(*any.path, branch, others, within);
  if (any.is == kind::negated_parts) return walk_part(branch, any.outer, within);
  const auto filter = branch.as_document();
  return filter ? walk(*filter, any.outer, within) : fail(filter_fault::refused);
}

/// Reads one branch by calling `visit(place)`. Omits a branch that mongos knows to match
/// nothing.
template <typename Visit>
bool filter_walk::unite_branch(bounds_union& branches, key_field_set outside, bool& uses_index,
                               Visit visit) noexcept {
  key_bounds one = branches.branch();
  pending_unions inner;
  if (!visit(place{one, &inner, false, false})) return false;
  bool branch_uses_index = false;
  if (!resolve(inner, one, outside, branch_uses_index)) return false;
  if (one.is_false) {
    branches.omit();
    return true;
  }
  facts_.has_empty_branch |= may_simplify() && !is_planned_ && is_empty_beside(one);
  uses_index = uses_index && branch_uses_index && !one.fields.empty();
  branches.add(one);
  return true;
}

/// Whether mongos sorts the union `any` before `than`, the candidate so far. False if they are
/// equal, because the first one read wins, or if it isn't known.
bool filter_walk::comes_first(const pending_union& any, union_choice& than) noexcept {
  // An $or sorts before an $elemMatch, and so before the $ors within.
  const bool is_inner = any.outer != nullptr;
  const bool was_inner = than.any->outer != nullptr;
  if (is_inner != was_inner) return was_inner;
  if (than.outline == nullptr) than.outline = outline(*than.any);
  const match_node* const mine = outline(any);
  if (mine == nullptr || than.outline == nullptr) return false;
  work_.charge(interval_units * std::min(mine->size, than.outline->size));
  if (compare(*mine, *than.outline) >= 0) return false;
  than.outline = mine;
  return true;
}

const match_node* filter_walk::outline(const pending_union& any) noexcept {
  if (any.node != nullptr) return sorted(*any.node, memory_);
  return any.rewritten != nullptr ? outline_of(*any.rewritten, memory_)
                                  : outline_of_any(any.branches, outlining(), memory_);
}

}  // namespace scattergate::routing
