#include "routing/bounds/match_draft.hpp"

#include <utility>

#include "routing/bounds/filter_parts.hpp"
#include "routing/keys/key_encoding.hpp"

namespace scattergate::routing {
namespace {

/// The cost of looking for the list of a branch, in units of wire::work_budget.
constexpr std::size_t list_units = 8;

/// Whether all values of a list that mongos made of an $or are equal.
bool has_one_value(const match_draft& list, wire::work_budget& work) noexcept {
  if (list.kind != match_kind::in || list.first == nullptr) return false;
  for (const match_draft* child = list.first; child != nullptr; child = child->next) {
    if (child->kind != match_kind::eq) return false;
    const wire::element a = operand_of(list.first->source);
    const wire::element b = operand_of(child->source);
    work.charge(b.value().size() / 16);
    if (!same_value(a, b) && !are_equal_numbers(a, b, work)) return false;
  }
  return true;
}

}  // namespace

wire::element operand_of(const wire::element& source) noexcept {
  if (source.key() != "$in" && source.key() != "$nin") return source;
  wire::element only;
  const auto members = source.as_array();
  return members && wire::document_reader{*members}.next(only) ? only : source;
}

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

bool match_draft::join_alternatives(scratch& memory) noexcept {
  if (kind != match_kind::any) return true;
  match_draft* child = std::exchange(first, nullptr);
  last = nullptr;
  count = 0;
  match_draft* lists = nullptr;
  while (child != nullptr) {
    match_draft* const after = child->next;
    memory.work().charge(list_units);
    match_draft* list = is_listable(child->kind) ? lists : nullptr;
    while (list != nullptr && list->path != child->path) list = list->next;
    if (list != nullptr) {
      list->add(child);
    } else if (is_listable(child->kind)) {
      const auto room = memory.allocate<match_draft>(1);
      if (room.empty()) return false;
      room[0] = match_draft{match_kind::in, child->path};
      room[0].add(child);
      room[0].next = std::exchange(lists, room.data());
    } else {
      add(child);
    }
    child = after;
  }
  while (lists != nullptr) {
    match_draft* const after = lists->next;
    add(lists->count == 1 ? lists->first : lists);
    lists = after;
  }
  if (count == 1) {
    match_draft* const only = first;
    *this = has_one_value(*only, memory.work()) ? *only->first : *only;
    next = nullptr;
  }
  return true;
}

void match_draft::fold_negation(server_version version) noexcept {
  if (kind == match_kind::nor) {
    match_draft* child = std::exchange(first, nullptr);
    last = nullptr;
    count = 0;
    bool is_negated = false;
    while (child != nullptr) {
      match_draft* const after = child->next;
      is_negated |= child->is_true();
      if (!child->is_false()) add(child);
      child = after;
    }
    const bool sees_truth = count > 1 || version >= folds_nor_of_one;
    if (is_negated && sees_truth) *this = match_draft{match_kind::always_false};
    if (kind == match_kind::nor && count == 0) kind = match_kind::all;
    if (kind == match_kind::nor && count == 1) kind = match_kind::not_;
  } else if (kind == match_kind::not_ && version >= folds_not) {
    if (first->is_false())
      *this = match_draft{match_kind::all};
    else if (first->is_true())
      *this = match_draft{match_kind::always_false};
  }
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
