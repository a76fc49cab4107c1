#include "routing/bounds/filter_walk.hpp"

#include <algorithm>

#include "routing/bounds/filter_walk_siblings.hpp"
#include "routing/bounds/neutral_truth.hpp"
#include "routing/bounds/planned_walk.hpp"

// Computes the bounds of a shard key from a filter, as mongos's query planner does for an index
// on the key. This file reads the logical operators $and, $nor and $not; filter_walk_path.cpp
// reads predicates on a path, and filter_walk_union.cpp reads $or. The state of a walk:
//
//   pins_      equalities on key fields that every matching document must satisfy
//   bounds_    for each key field, the intervals in which its values may lie
//   unions_    the $ors, which are processed in finish()
//
// Invariants:
//   - The bounds contain every document that matches the conditions read so far. Conditions
//     only narrow the bounds. So skipping a condition (for lack of memory or work, or because
//     mongos's behaviour isn't certain) gives wider bounds, never narrower ones.
//   - Only exact sets are complemented (field_bounds::invertible): the complement of a set
//     that is too wide would be too narrow.
//   - pins_ has at most one equality per key field, and only equalities that apply to the whole
//     filter, never those in a branch of an $or. Only pins_ can pin the full key. `is_void` is
//     never reset.
//   - A `place` is the conjunction to which a predicate adds its bounds. The predicates of the
//     conjunction narrow `bounds` immediately. Its $ors wait in `unions`, because mongos takes
//     bounds from only one of them, and which one depends on the predicates next to it.
//
// Example: the key {a: 1, b: 1} and the filter {a: 5, $or: [{b: {$lt: 3}}, {b: 8}]}. "full" is
// [MinKey, MaxKey].
//
//   read       a: 5           pins_:    a = 5
//              $or            unions_:  the $or
//   finish()   pins_          bounds_:  a [5, 5]  b full
//              {b: {$lt: 3}}  branch:   a full    b [-inf, 3)          can use an index on the
//              {b: 8}         branch:   a full    b [8, 8]             key, because of a: 5
//              union          united:   a full    b [-inf, 3), [8, 8]
//              intersection   bounds_:  a [5, 5]  b [-inf, 3), [8, 8]
//
// pins_ doesn't pin the full key, because it has no b. So target_of() expands the bounds to
// ranges of the whole key (range_expansion.cpp): from {5, -inf} to {5, 3}, and the point {5,
// 8}.

namespace scattergate::routing {

using wire::bson_type;
using wire::document_view;
using wire::element;

namespace {

/// The cost of a list of branches in addition to the branches, in units of wire::work_budget.
constexpr std::size_t list_units = 40;

/// Whether one of the branches is an empty filter.
bool has_empty(document_view branches, wire::work_budget& work) noexcept {
  wire::metered_reader reader{branches, work};
  for (element branch; reader.next(branch);) {
    const auto filter = branch.as_document();
    if (filter && filter->is_empty()) return true;
  }
  return false;
}

/// Appends to a list whose first node is `head`; `last` is null as long as the list is empty.
/// Without room the condition is dropped, which only widens.
void append(const conjunct& one, conjunct& head, conjunct*& last, scratch& memory) noexcept {
  if (last == nullptr) {
    head = one;
    last = &head;
    return;
  }
  const auto kept = memory.allocate<conjunct>(1);
  if (kept.empty()) return;
  kept[0] = one;
  last->next = kept.data();
  last = kept.data();
}

/// Whether the pinned value of the hashed field is a text under a collation. mongos then finds
/// the chunk by the hash, but texts have no bounds, so bounds can't contradict the pin.
bool is_hash_of_collated(const key_pins& pins, const collection& target,
                         const filter_rules& rules) noexcept {
  if (!rules.trusts_hashes || rules.simple_collation || target.hashed_field < 0) return false;
  const auto field = static_cast<std::size_t>(target.hashed_field);
  return pins.pinned.contains(field) && is_collatable(pins.values[field].type());
}

/// Whether the filter with this outline is always true.
bool is_always(const match_node& tree) noexcept {
  return tree.kind == match_kind::always_true ||
         (tree.kind == match_kind::all && tree.children.empty());
}

}  // namespace

filter_walk::filter_walk(const collection& target, const filter_rules& rules,
                         scratch& memory) noexcept
    : target_(target),
      rules_(rules),
      memory_(memory),
      field_rules_{.hashed = false,
                   .simple_collation = rules.simple_collation,
                   .null_means_undefined = rules.version < server_version{8, 0},
                   .is_before_5_0 = rules.version < server_version{5, 0}},
      work_(memory.work()),
      bounds_(key_bounds::unbounded(target.key.size(), memory)) {
  pins_.values = memory.allocate<element>(target.key.size());
  work_.charge(filter_units);
}

bool filter_walk::add(document_view filter) noexcept {
  if (may_simplify())
    append({.filter = filter, .part = std::nullopt}, conjuncts_, last_conjunct_, memory_);
  return walk(filter, nullptr, top());
}

bool filter_walk::add(const element& part) noexcept {
  if (may_simplify()) append({.filter = {}, .part = part}, conjuncts_, last_conjunct_, memory_);
  return walk_part(part, nullptr, top());
}

void filter_walk::add_varying(std::string_view path) noexcept {
  work_.charge(key_field_units * target_.key.size());
  for (std::size_t i = 0; i < target_.key.size(); ++i) {
    if (relate(path, target_.key[i].path) != path_relation::same) continue;
    facts_.varying.insert(i);
    bounds_.named.insert(i);
  }
}

/// Records a fault; false if the walk must end. A condition that mongos rejects is skipped, so
/// the walk finds where mongos would send the filter if it accepted the condition after all.
bool filter_walk::fail(filter_fault fault) noexcept {
  const bool rejects = is_rejection(fault);
  if (fault_ == filter_fault::none || (!rejects && is_rejection(fault_))) fault_ = fault;
  return rejects;
}

bool filter_walk::walk(document_view filter, const match_path* outer,
                       const place& at) noexcept {
  if (!depth_.enter()) return fail(filter_fault::too_deep);
  bool sound = true;
  if (at.negated && wire::count_fields(filter, work_).value_or(2) > 1) {
    sound = walk_any_negated(filter, false, outer, at);
  } else {
    wire::metered_reader reader{filter, work_};
    for (element part; sound && reader.next(part);) sound = walk_part(part, outer, at);
    if (sound && reader.is_corrupt()) sound = fail(filter_fault::unreadable);
  }
  depth_.leave();
  return sound;
}

bool filter_walk::walk_part(const element& part, const match_path* outer,
                            const place& at) noexcept {
  pay_for_predicate();
  if (part.key().starts_with('$')) return walk_tree(part, outer, at);
  return walk_field(match_path{part.key(), outer}, part, at);
}

bool filter_walk::walk_tree(const element& part, const match_path* outer,
                            const place& at) noexcept {
  const tree_operator op = tree_operator_of(part.key());
  switch (op) {
    case tree_operator::unknown:
      return fail(filter_fault::refused);
    case tree_operator::neutral:
      // mongo: matcher/expression_parser.cpp, parseWhere; Pipeline::kAllowedMatcherFeatures.
      if (rules_.is_stage && part.key() == "$where") return fail(filter_fault::refused);
      if (part.key() != "$comment") ++facts_.other_predicates;
      return take_neutral(part, at);
    case tree_operator::text:
      ++facts_.other_predicates;
      facts_.has_text = true;
      return true;
    case tree_operator::always_false:
      if (!at.negated) walk_nothing(at);
      return true;
    case tree_operator::expr:
      ++facts_.other_predicates;
      facts_.has_expression = true;
      return outer == nullptr ? take_expression(part, at) : true;
    case tree_operator::and_:
    case tree_operator::or_:
    case tree_operator::nor:
      break;
  }
  work_.charge(list_units);
  const auto branches = part.as_array();
  if (!branches || branches->is_empty()) return fail(filter_fault::refused);
  if (op == tree_operator::nor && awaits_form(outer, at)) {
    postpone(part, nullptr);
    return walk_aside(*branches, outer);
  }
  if (op == tree_operator::nor) return walk_none(*branches, outer, at);
  if (at.negated == (op == tree_operator::or_)) return walk_all(*branches, outer, at);
  return walk_any(*branches, outer, at);
}

/// Adds a condition that no document matches. mongos detects it, and ignores the conditions
/// next to it.
void filter_walk::walk_nothing(const place& at) noexcept {
  at.bounds.is_false = true;
  pins_.is_void |= at.may_pin;
}

/// Adds a condition that no document matches, of which mongos is certain to know that from 8.2
/// on. Before, mongos may or may not remove such a branch of an $or.
void filter_walk::walk_late_nothing(const place& at) noexcept {
  const bool is_certain = rules_.version >= server_version{8, 2};
  facts_.may_be_false |= !is_certain;
  if (is_certain || at.may_pin) return walk_nothing(at);
  facts_.may_drop_branch = true;
}

/// Reads a top-level operator without bounds. False if mongos rejects it.
bool filter_walk::take_neutral(const element& part, const place& at) noexcept {
  const bool is_plain = !at.negated && at.unions != nullptr;
  using enum neutral_truth;
  const neutral_truth truth = truth_of_neutral(part, is_plain, rules_.version, work_);
  if (truth == refused) return fail(filter_fault::refused);
  if (truth == never) walk_nothing(at);
  if (truth == late_never && may_simplify()) walk_late_nothing(at);
  if (truth == unknown) note_may_match_nothing();
  return true;
}

/// Reads a conjunction of the branches; if `at` is negated, of their negations.
bool filter_walk::walk_all(document_view branches, const match_path* outer,
                           const place& at) noexcept {
  wire::metered_reader reader{branches, work_};
  for (element branch; reader.next(branch);) {
    const auto filter = branch.as_document();
    if (!filter) return fail(filter_fault::refused);
    if (!walk(*filter, outer, at)) return false;
  }
  return !reader.is_corrupt() || fail(filter_fault::unreadable);
}

key_bounds& filter_walk::finish() noexcept {
  if (finished_) return bounds_;
  finished_ = true;
  if (may_simplify() && is_unfinished() && planned_walk{*this}.read()) return bounds_;
  if (needs_form()) learn_form();
  is_formed_ = true;
  if (!read_negations()) return bounds_;
  // An equality with a parent conflicts with one to which mongos rewrites an $expr (mongo:
  // update/path_support.cpp, checkEqualityConflicts; expression_optimizer.cpp at 1c287af,
  // exprOptimizer and inOptimizer).
  pins_.is_void |= pins_.from_parent.without(pins_.listed) != pins_.from_parent;
  bound_pins();
  if (may_simplify() && is_contradiction() && planned_walk{*this}.read()) return bounds_;
  contradicts_ = !facts_.has_single_value_list && is_contradiction();
  resolve(unions_, bounds_, {}, uses_index_);
  if (form_ == boolean_form::original && negations_ == nullptr && needs_form()) learn_form();
  facts_.may_negate_single_value_list = facts_.has_single_value_list && needs_form();
  uses_index_ = uses_index_ && !bounds_.is_false;
  pins_.is_void |= bounds_.is_false;
  return bounds_;
}

/// Narrows the bounds by the pins, except those from parents.
void filter_walk::bound_pins() noexcept {
  for (std::size_t i = 0; i < bounds_.fields.size(); ++i) {
    if (!pins_.pinned.without(pins_.from_parent).contains(i)) continue;
    bound(i, equal_to(pins_.values[i], rules_of(i), memory_), {bounds_});
  }
}

// Negations: $nor and $not. Before 8.0, an index supports only the negation of a single
// comparison (mongo: query/indexability.h). From 8.0 on, mongos simplifies filters first, which
// moves negations down to the comparisons.

/// Whether mongos plans the simplified form at this path. It doesn't simplify conditions within
/// an $elemMatch (mongo: expression_bitset_tree_converter.cpp).
bool filter_walk::is_simplified(const match_path* outer) const noexcept {
  return is_formed_ && form_ == boolean_form::simplified && outer == nullptr && elements_ == 0;
}

/// Reads a $nor: the conjunction of its branches' negations; if it is negated, the branches'
/// disjunction.
bool filter_walk::walk_none(document_view branches, const match_path* outer,
                            const place& at) noexcept {
  const bool may_see = may_simplify() && !at.negated && outer == nullptr;
  const bool negates_all = may_see && at.unions != nullptr && has_empty(branches, work_);
  if (is_simplified(outer)) {
    if (negates_all) walk_nothing(at);
    return at.negated ? walk_any(branches, outer, at.inverted())
                      : walk_all(branches, outer, at.inverted());
  }
  has_inner_negations_ = true;
  if (at.unions == nullptr) return walk_aside(branches, outer);
  wire::document_reader reader{branches};
  element only;
  element second;
  const bool is_one = reader.next(only) && !reader.next(second);
  const bool sees_truth = !is_one || rules_.version >= folds_nor_of_one;
  if (negates_all && sees_truth) walk_nothing(at);
  const auto filter = is_one ? only.as_document() : std::nullopt;
  const match_node* tree = filter ? outline_of(*filter, outlining(), memory_) : nullptr;
  if (may_see && sees_truth && tree != nullptr && is_always(*tree)) walk_nothing(at);
  return walk_aside(branches, outer) && walk_negated(tree, outer, at);
}

/// Reads filters only to find faults; adds no bounds.
bool filter_walk::walk_aside(document_view branches, const match_path* outer) noexcept {
  key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
  return walk_all(branches, outer, {aside});
}

/// Adds the bounds of the negation of `tree` if that may be a single comparison. Otherwise adds
/// nothing.
bool filter_walk::walk_negated(const match_node* tree, const match_path* outer,
                               const place& at) noexcept {
  if (at.negated || at.unions == nullptr || tree == nullptr || !is_negatable(tree->kind))
    return true;
  const match_path path{tree->path, outer};
  switch (tree->kind) {
    case match_kind::exists:
      bound_same(path, at.plain(),
                 [&](const field_rules& rules) { return existing(false, rules, memory_); });
      return true;
    case match_kind::eq:
    case match_kind::in:
      return tree->source.key() == "$in" ? walk_in(path, tree->source, false, at.inverted())
                                         : equality(path, tree->source, at.inverted());
    default: {
      siblings none{document_view{}, work_};
      const field_operator op = field_operator_of(tree->source.key());
      return walk_bounding(op, path, tree->source, none, at.inverted());
    }
  }
}

/// Reads the negation of a conjunction of several conditions: the disjunction of their
/// negations.
bool filter_walk::walk_any_negated(document_view parts, bool are_branches,
                                   const match_path* outer, const place& at) noexcept {
  using kind = pending_union::kind;
  const match_path* kept = outer == nullptr ? nullptr : keep(*outer, memory_);
  if (at.unions == nullptr || (outer != nullptr && kept == nullptr)) return true;
  const kind is = are_branches ? kind::negated_branches : kind::negated_parts;
  at.unions->add({.branches = parts, .outer = kept, .is = is}, memory_);
  return true;
}

bool filter_walk::walk_operators_negated(const match_path& path, document_view operators,
                                         const place& at) noexcept {
  const match_path* kept = keep(path, memory_);
  if (at.unions == nullptr || kept == nullptr) return true;
  at.unions->add(
      {.branches = operators, .is = pending_union::kind::negated_operators, .path = kept},
      memory_);
  return true;
}

bool filter_walk::walk_not(const match_path& path, const element& operand,
                           const place& at) noexcept {
  if (operand.type() == bson_type::regex) {
    return walk_field(path, operand, at.inverted());
  }
  const auto operators = operand.as_document();
  if (!operators || operators->is_empty()) return fail(filter_fault::refused);
  if (is_simplified(path.outer)) return walk_operators(path, *operators, at.inverted());
  if (awaits_form(path.outer, at)) {
    postpone(operand, &path);
    key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
    return walk_operators(path, *operators, {aside});
  }
  has_inner_negations_ = true;
  const match_node* tree = outline_of_operators(*operators, path.name, outlining(), memory_);
  const bool is_negated = tree != nullptr && is_negatable(tree->kind);
  if (!is_negated) {
    bound_same(path, at.plain(), [](const field_rules&) {
      return field_bounds::nothing_known(reason::negation);
    });
  }
  key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
  return walk_operators(path, *operators, {aside}) && walk_negated(tree, path.outer, at);
}

// The form in which mongos plans the whole filter, from 8.0 on. Single comparisons have the
// same bounds in both forms, so they are read at once. The negation of several comparisons
// waits until the whole conjunction has been read.

/// Whether a negation at `at` applies to the whole filter, and must wait until its form is
/// known.
bool filter_walk::awaits_form(const match_path* outer, const place& at) const noexcept {
  return may_simplify() && !is_formed_ && outer == nullptr && elements_ == 0 &&
         at.unions != nullptr;
}

/// Keeps a negation for read_negations(). If the scratch memory is exhausted, drops it, which
/// makes bounds wider.
void filter_walk::postpone(const element& part, const match_path* path) noexcept {
  const auto kept = memory_.allocate<pending_negation>(1);
  const match_path* kept_path = path != nullptr ? keep(*path, memory_) : nullptr;
  if (kept.empty() || (path != nullptr && kept_path == nullptr)) return;
  kept[0] = {part, kept_path, negations_};
  negations_ = kept.data();
}

/// Whether the result may depend on the form: several comparisons are negated together, or the
/// filter may have both a comparison and its negation.
bool filter_walk::needs_form() const noexcept {
  if (last_conjunct_ == nullptr) return false;
  return negations_ != nullptr || has_inner_negations_ || (held_paths_ & negated_paths_) != 0;
}

void filter_walk::learn_form() noexcept {
  const planned_form planned =
      form_of(&conjuncts_, outlining(), rules_.simple_collation, memory_);
  form_ = planned.form;
  facts_.may_merge |= planned.may_merge;
  facts_.may_drop_branch |= planned.may_be_simplified;
  const bool is_repeated = pins_.repeated && form_ == boolean_form::original;
  pins_.is_void |= is_repeated;
  facts_.may_merge_repeated |= is_repeated && !planned.is_certain;
  if (rules_.may_not_simplify) {  // either form is possible: use the wider result
    facts_.may_be_simplified |= form_ == boolean_form::simplified;
    if (form_ == boolean_form::simplified) {
      form_ = boolean_form::original;
      facts_.may_drop_branch |= planned.has_double_negation;
    }
    if (form_ == boolean_form::nothing) form_ = boolean_form::unknown;
  }
  if (form_ != boolean_form::nothing && form_ != boolean_form::unknown) return;
  facts_.may_be_false |= form_ == boolean_form::unknown;
  bounds_.is_false = true;
  pins_.is_void = true;
}

bool filter_walk::is_contradiction() const noexcept {
  return std::ranges::any_of(bounds_.fields, &interval_set::is_empty);
}

bool filter_walk::may_pin_otherwise() noexcept {
  if (!may_simplify() || is_planned_) return false;
  if (facts_.may_drop_branch || (facts_.has_collapsed && facts_.may_pin_parent)) return true;
  if (facts_.may_negate_single_value_list) return true;
  const bool is_hash = is_hash_of_collated(pins_, target_, rules_);
  // Texts under a collation have no bounds that would show whether the branches are equal.
  if (is_hash && facts_.has_hashed_branch) return true;
  if (!is_contradiction() && !is_hash) return false;
  // If mongos merges predicates, perhaps no index supports the filter.
  if (facts_.may_merge_repeated || facts_.may_merge) return true;
  if (facts_.has_single_value_list || facts_.has_collapsed) return true;
  if (facts_.has_double_negated_equality || facts_.has_one_value) return true;
  if (contradicts_ || unions_.first() == nullptr) return false;
  if (form_ == boolean_form::original) learn_form();
  return form_ != boolean_form::original;
}

/// Reads the negations that waited for the form. False if one has a fault.
bool filter_walk::read_negations() noexcept {
  const place at{bounds_, &unions_, false, false};
  for (const pending_negation* one = negations_; one != nullptr; one = one->next) {
    const bool sound =
        one->path != nullptr
            ? walk_not(*one->path, one->part, at)
            : walk_none(one->part.as_array().value_or(wire::document_view{}), nullptr, at);
    if (!sound) return false;
  }
  return true;
}

}  // namespace scattergate::routing
