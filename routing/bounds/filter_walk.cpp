// The part of filter_walk that reads the tree of a filter.

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

filter_walk::filter_walk(const collection& target, const filter_rules& rules,
                         scratch& memory) noexcept
    : target_(target),
      rules_(rules),
      memory_(memory),
      field_rules_{.hashed = false,
                   .simple_collation = rules.simple_collation,
                   .null_means_undefined = rules.version < server_version{8, 0},
                   .is_before_5_0 = rules.version < server_version{5, 0},
                   .is_like_4_4 = is_like_4_4(rules.version)},
      work_(memory.work()),
      bounds_(key_bounds::unbounded(target.key.size(), memory)) {
  pins_.values = memory.take<element>(target.key.size());
  if (!field_rules_.is_like_4_4) unseen_ = target.hashed_field;
  work_.charge(filter_units);
}

bool filter_walk::add(document_view filter) noexcept {
  if (may_simplify()) remember({.filter = filter, .part = std::nullopt});
  return walk(filter, nullptr, top());
}

bool filter_walk::add(const element& part) noexcept {
  if (may_simplify()) remember({.filter = {}, .part = part});
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

bool filter_walk::fail(filter_fault fault) noexcept {
  if (fault_ == filter_fault::none) fault_ = fault;
  return false;
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
      if (part.key() != "$comment") ++facts_.other_predicates;
      return true;
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
  constexpr std::size_t list_units = 40;
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

/// What nothing matches: mongos sees it, and looks at nothing beside it.
void filter_walk::walk_nothing(const place& at) noexcept {
  at.bounds.is_false = true;
  pins_.spoiled |= at.may_pin;
}

/// Each branch in turn, all of which hold (or are all denied).
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
  if (needs_form()) learn_form();
  is_formed_ = true;
  if (!read_denials()) return bounds_;
  for (std::size_t i = 0; i < bounds_.fields.size(); ++i) {
    if (!pins_.pinned.without(pins_.from_parent).contains(i)) continue;
    bound(i, equal_to(pins_.values[i], rules_of(i), memory_), {bounds_});
  }
  contradicts_ = !facts_.has_only_listed && is_contradiction();
  resolve(unions_, bounds_, {}, uses_index_);
  if (form_ == boolean_form::original && denials_ == nullptr && needs_form()) learn_form();
  uses_index_ = uses_index_ && !bounds_.is_false;
  return bounds_;
}

}  // namespace scattergate::routing
