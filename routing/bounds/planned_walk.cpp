#include "routing/bounds/planned_walk.hpp"

#include <algorithm>
#include <utility>

#include "routing/bounds/filter_walk_siblings.hpp"
#include "routing/bounds/in_bounds.hpp"
#include "routing/bounds/match_draft.hpp"

namespace scattergate::routing {

using wire::element;

namespace {

/// The facts of a filter without those that are found again in its planned tree, and without
/// doubts about its form.
filter_facts without_form(const filter_facts& from) noexcept {
  filter_facts kept;
  kept.leading_cause = from.leading_cause;
  kept.other_predicates = from.other_predicates;
  kept.has_text = from.has_text;
  kept.has_near = from.has_near;
  kept.has_expression = from.has_expression;
  kept.has_logical_shards = from.has_logical_shards;
  kept.has_alternatives = from.has_alternatives;
  kept.has_empty_list = from.has_empty_list;
  kept.varying = from.varying;
  return kept;
}

}  // namespace

/// Replaces bounds and pins by those of the planned tree. False, without an effect, if that
/// isn't certain.
bool planned_walk::read() noexcept {
  if (walk_.rules_.is_as_written || walk_.facts_.may_be_false ||
      !walk_.facts_.varying.is_empty())
    return false;
  const filter_facts as_written = walk_.facts_;
  if (!read_branches()) return false;
  const filter_facts found = std::exchange(walk_.facts_, as_written);
  const match_draft* const root =
      plan_of(&walk_.conjuncts_, walk_.outlining(), walk_.rules_.simple_collation,
              walk_.rules_.may_not_simplify, walk_.memory_);
  key_bounds bounds = key_bounds::unbounded(walk_.target_.key.size(), walk_.memory_);
  if (root == nullptr || bounds.fields.size() != walk_.target_.key.size() ||
      walk_.work_.is_low()) {
    return false;
  }
  walk_.is_planned_ = true;
  walk_.facts_ = without_form(found);
  const key_field_set named = walk_.bounds_.named;
  walk_.bounds_ = bounds;
  walk_.bounds_.named = named;
  const auto values = walk_.pins_.values;
  walk_.pins_ = {};
  walk_.pins_.values = values;
  walk_.unions_ = {};
  walk_.negations_ = nullptr;
  read_node(*root, nullptr, walk_.top());
  walk_.bound_pins();
  static_cast<void>(walk_.resolve(walk_.unions_, walk_.bounds_, {}, walk_.uses_index_));
  walk_.uses_index_ = walk_.uses_index_ && !walk_.bounds_.is_false;
  walk_.pins_.is_void |= walk_.bounds_.is_false;
  return true;
}

/// Reads the branches of all $ors only to find faults and facts, because the planned tree may
/// lack some of them. False if there is a fault.
bool planned_walk::read_branches() noexcept {
  const bool had_negations = walk_.has_inner_negations_;
  const bool was_false = walk_.bounds_.is_false;
  const bool was_void = walk_.pins_.is_void;
  const std::size_t mark = walk_.memory_.mark();
  bool sound = true;
  const pending_union* any = walk_.unions_.first();
  for (; sound && any != nullptr; any = any->next) {
    const bool is_list = any->is == pending_union::kind::branches && any->rewritten == nullptr;
    if (is_list) sound = walk_.walk_aside(any->branches, any->outer);
    walk_.memory_.rewind(mark);
  }
  walk_.has_inner_negations_ = had_negations;
  walk_.bounds_.is_false = was_false;
  walk_.pins_.is_void = was_void;
  return sound;
}

/// Reads a node of the planned tree.
void planned_walk::read_node(const match_draft& node, const match_path* outer,
                             const place& at) noexcept {
  if (!walk_.depth_.enter()) return;
  const match_path path{node.path, outer};
  switch (node.kind) {
    case match_kind::all:
      for (const match_draft* child = node.first; child != nullptr; child = child->next) {
        read_node(*child, outer, at);
      }
      break;
    case match_kind::any: {
      const match_path* kept = outer == nullptr ? nullptr : keep(*outer, walk_.memory_);
      if (outer == nullptr || kept != nullptr) {
        at.unions->add({.branches = {}, .outer = kept, .node = &node}, walk_.memory_);
      }
      break;
    }
    case match_kind::nor:  // no index shows that none of several conditions holds
      break;
    case match_kind::not_:
      if (is_negatable(node.first->kind)) {
        read_leaf(*node.first, {node.first->path, outer}, at.inverted());
      }
      break;
    case match_kind::always_false:
      walk_.walk_nothing(at);
      break;
    case match_kind::elem_match_object: {
      walk_.bound_same(path, at, [](const field_rules&) {
        return field_bounds::nothing_known(reason::not_indexable);
      });
      const match_path below = walk_.path_below(path);
      const place within{at.bounds, at.unions};
      for (const match_draft* child = node.first; child != nullptr; child = child->next) {
        read_node(*child, &below, within);
      }
      break;
    }
    case match_kind::elem_match_value:
      read_member_values(node, path, at);
      break;
    default:
      read_leaf(node, path, at);
  }
  walk_.depth_.leave();
}

/// Reads an $elemMatch with operators on the array's members themselves.
void planned_walk::read_member_values(const match_draft& node, const match_path& path,
                                      const place& at) noexcept {
  key_bounds alone = key_bounds::unbounded(walk_.target_.key.size(), walk_.memory_);
  const place within{alone, at.unions};
  ++walk_.elements_;
  for (const match_draft* child = node.first; child != nullptr; child = child->next) {
    const bool is_negated = child->kind == match_kind::not_;
    const match_draft& inner = is_negated ? *child->first : *child;
    if (is_negated ? is_negatable(inner.kind) : inner.first == nullptr) {
      read_leaf(inner, path, is_negated ? within.inverted() : within);
    } else {
      walk_.bound_same(path, within, [](const field_rules&) {
        return field_bounds::nothing_known(reason::not_indexable);
      });
    }
  }
  --walk_.elements_;
  walk_.bound_members(path, alone, at);
}

/// Reads a predicate of the planned tree; if `at` is negated, its negation.
void planned_walk::read_leaf(const match_draft& node, const match_path& path,
                             const place& at) noexcept {
  walk_.pay_for_predicate();
  if (node.rewritten != nullptr) return walk_.walk_comparison(*node.rewritten, at);
  switch (node.kind) {
    case match_kind::eq:
      static_cast<void>(walk_.equality(path, operand_of(node.source), at));
      break;
    case match_kind::in:
      if (node.first == nullptr) {
        const auto members = node.source.as_array().value_or(wire::document_view{});
        walk_.bound_same(path, at, [&](const field_rules& rules) {
          return one_of(members, rules, walk_.memory_);
        });
      } else {
        walk_.bound_same(path, at,
                         [&](const field_rules& rules) { return bounds_of_list(node, rules); });
      }
      break;
    case match_kind::exists:
      walk_.bound_same(path, at.plain(), [&](const field_rules& rules) {
        return existing(!at.negated, rules, walk_.memory_);
      });
      break;
    case match_kind::regex:
      if (const auto regex = regex_of(node)) {
        walk_.bound_same(path, at, [&](const field_rules& rules) {
          return matching_regex(*regex, rules, walk_.memory_);
        });
      }
      break;
    case match_kind::near:
      walk_.bound_same(path, at.plain(), [](const field_rules&) {
        return field_bounds::nothing_known(reason::not_indexable);
      });
      break;
    case match_kind::where:
    case match_kind::expression:
    case match_kind::always_true:
    case match_kind::text:
    case match_kind::other:
      break;
    default: {
      filter_walk::siblings none{node.operators, walk_.work_};
      const field_operator op = field_operator_of(node.source.key());
      static_cast<void>(walk_.walk_bounding(op, path, node.source, none, at));
    }
  }
}

/// The regular expression of a predicate; std::nullopt if it can't be read.
std::optional<regex_parts> planned_walk::regex_of(const match_draft& node) noexcept {
  const element source = operand_of(node.source);
  if (node.source.key() == "$regex") {
    return filter_walk::siblings{node.operators, walk_.work_}.regex_of_operand(source);
  }
  return routing::regex_of(source);
}

/// The bounds of a list that mongos made of the branches of an $or.
field_bounds planned_walk::bounds_of_list(const match_draft& list,
                                          const field_rules& rules) noexcept {
  bounds_union values{1, walk_.memory_};
  bool is_invertible = true;
  for (const match_draft* child = list.first; child != nullptr; child = child->next) {
    const auto regex = child->kind == match_kind::regex ? regex_of(*child) : std::nullopt;
    const field_bounds one = regex ? matching_regex(*regex, rules, walk_.memory_)
                                   : equal_to(operand_of(child->source), rules, walk_.memory_);
    if (!one.uses_index) return one;
    is_invertible &= one.invertible;
    key_bounds branch = values.branch();
    branch.narrow(0, one, walk_.memory_);
    values.add(branch);
  }
  const key_bounds united = values.finish();
  if (united.fields.empty()) return field_bounds::nothing_known(reason::not_indexable);
  return {united.fields[0], reason::none, is_invertible, false};
}

}  // namespace scattergate::routing
