#include <algorithm>
#include <string_view>
#include <utility>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/filter_walk_siblings.hpp"
#include "routing/bounds/in_bounds.hpp"
#include "routing/bounds/language.hpp"
#include "routing/bounds/value_bounds.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

// The part of filter_walk that reads predicates on one path, and `$expr`.

namespace scattergate::routing {
namespace {

using wire::element;

/// "<id>:" of a text "<id>:<n>"; empty if the text doesn't have this form.
std::string_view logical_shard_owner(std::string_view text) noexcept {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return {};
  const std::string_view number = text.substr(colon + 1);
  const bool all_digits =
      std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return all_digits ? text.substr(0, colon + 1) : std::string_view{};
}

/// Whether a list, such as that of an $in, has the IDs of one counter's documents. Some
/// applications distribute a counter over documents with the IDs "<id>:0" to "<id>:n". True if
/// the list has at least two members, all of them strings "<id>:<n>" with the same <id>.
bool are_logical_shards(wire::document_view members, wire::work_budget& work) noexcept {
  std::string_view owner;
  std::size_t count = 0;
  wire::metered_reader reader{members, work};
  for (element member; reader.next(member); ++count) {
    if (!member.is_string()) return false;
    const std::string_view here = logical_shard_owner(member.as_string());
    work.charge(member.value().size() / 2);
    if (here.empty() || (count > 0 && here != owner)) return false;
    owner = here;
  }
  return count > 1;
}

}  // namespace

using wire::bson_type;
using wire::document_view;

namespace {

/// Whether mongos detects that an `$in: []` matches nothing (mongo: matcher/expression_leaf.cpp
/// of 8.0, InMatchExpression::getOptimizer). Versions between 7.0 and 8.0 weren't examined.
bool empty_list_is_false(server_version version) noexcept {
  return version >= server_version{7, 1};
}

/// Whether mongos rejects the operand of a comparison.
bool is_refused_operand(const element& value) noexcept {
  return value.type() == bson_type::undefined || value.type() == bson_type::regex;
}

/// Whether even the first field can't be read, so it may or may not be an operator.
bool is_broken_at_once(document_view value) noexcept {
  wire::document_reader reader{value};
  element first;
  return !reader.next(first) && reader.is_corrupt();
}

/// Whether an $elemMatch's `condition` has operators on the members, not a filter on documents.
bool is_on_values(document_view condition) noexcept {
  wire::document_reader reader{condition};
  element first;
  if (!reader.next(first)) return false;
  return first.key().starts_with('$') &&
         field_operator_of(first.key()) != field_operator::unknown;
}

/// The fault of a $near in a $match (mongo: matcher/expression_parser.cpp,
/// parsePathAcceptingKeyword, GEO_NEAR).
filter_fault fault_of_near(server_version version) noexcept {
  return version >= server_version{5, 0} ? filter_fault::near_in_stage : filter_fault::refused;
}

filter_fault fault_of_expression(const element& expression, const filter_rules& rules,
                                 scratch& memory) noexcept {
  const refusal refused = refusal_of_expression(expression, rules.version, memory.work());
  if (refused == refusal::expression_form) return filter_fault::malformed_expression;
  if (refused != refusal::none) return filter_fault::bad_expression;
  const bool knows_variables = !rules.has_other_variables && !memory.is_exhausted();
  const bool has_unbound =
      knows_variables && names_unbound_variable(expression, rules.let, memory.work());
  return has_unbound ? filter_fault::unbound_variable : filter_fault::none;
}

/// Whether the operator is a $near itself, not its option $minDistance or $maxDistance.
bool is_place(const element& predicate) noexcept {
  return !predicate.key().ends_with("Distance");
}

bool is_valid_mod(const element& operand) noexcept {
  const auto parts = operand.as_array();
  if (!parts) return false;
  wire::document_reader reader{*parts};
  element divisor;
  element remainder;
  return reader.next(divisor) && divisor.is_number() && divisor.is_truthy() &&
         reader.next(remainder);
}

}  // namespace

void filter_walk::bound(std::size_t field, const field_bounds& given,
                        const place& at) noexcept {
  if (given.cause == reason::unreadable) {
    fail(filter_fault::unreadable);
    return;
  }
  const field_bounds said = at.negated ? negated(given, rules_of(field), memory_) : given;
  if (field == 0 && said.set.is_full() && said.cause != reason::none) {
    facts_.leading_cause = said.cause;
  }
  at.bounds.narrow(field, said, memory_);
}

bool filter_walk::walk_field(const match_path& path, const element& value,
                             const place& at) noexcept {
  if (value.type() == bson_type::regex) {
    ++facts_.other_predicates;
    note(path.name, at.negated);
    const auto regex = regex_of(value);
    const auto fault = regex ? fault_of(*regex, rules_.version) : filter_fault::unreadable;
    if (fault != filter_fault::none) return fail(fault);
    bound_same(path, at, [&](const field_rules& rules) {
      return matching_regex(*regex, rules, memory_);
    });
    return true;
  }
  if (value.is_document() && is_broken_at_once(*value.as_document())) {
    return fail(filter_fault::unreadable);
  }
  if (is_operator_document(value)) return walk_operators(path, *value.as_document(), at);
  return equality(path, value, at);
}

bool filter_walk::walk_operators(const match_path& path, document_view operators,
                                 const place& at) noexcept {
  if (!depth_.enter()) return fail(filter_fault::too_deep);
  bool sound = true;
  if (at.negated && wire::count_fields(operators, work_).value_or(2) > 1) {
    sound = walk_operators_negated(path, operators, at);
  } else {
    siblings others{operators, work_};
    wire::metered_reader reader{operators, work_};
    for (element one; sound && reader.next(one);) {
      sound = walk_operator(path, one, others, at);
    }
    if (sound && reader.is_corrupt()) sound = fail(filter_fault::unreadable);
  }
  depth_.leave();
  return sound;
}

bool filter_walk::walk_operator(const match_path& path, const element& predicate,
                                siblings& others, const place& at) noexcept {
  pay_for_predicate();
  const field_operator op = field_operator_of(predicate.key());
  if (op != field_operator::eq && op != field_operator::in && op != field_operator::all) {
    ++facts_.other_predicates;
  }
  switch (op) {
    case field_operator::unknown:
      return fail(filter_fault::refused);
    case field_operator::eq:
      return equality(path, predicate, at);
    case field_operator::ne:
      if (predicate.type() == bson_type::regex) return fail(filter_fault::refused);
      return equality(path, predicate, at.inverted());
    case field_operator::in:
      return walk_in(path, predicate, false, at);
    case field_operator::nin:
      return walk_in(path, predicate, true, at);
    case field_operator::not_:
      return walk_not(path, predicate, at);
    case field_operator::exists: {
      // Bounds alone don't show that {$exists: true} is the negation of {$exists: false}.
      const bool exists = predicate.is_truthy() != at.negated;
      note(path.name, !exists);
      bound_same(path, at.plain(),
                 [&](const field_rules& rules) { return existing(exists, rules, memory_); });
      return true;
    }
    case field_operator::options:
      return others.have_regex() || fail(filter_fault::refused);
    case field_operator::all:
      return walk_members(path, predicate, at);
    case field_operator::elem_match:
      return walk_elem_match(path, predicate, at);
    default:
      return walk_bounding(op, path, predicate, others, at);
  }
}

/// Reads an operator whose bounds don't depend on the operators next to it.
bool filter_walk::walk_bounding(field_operator op, const match_path& path,
                                const element& predicate, siblings& others,
                                const place& at) noexcept {
  const auto bound_to = [&](auto bounds_of) {
    bound_same(path, at, bounds_of);
    return true;
  };
  switch (op) {
    case field_operator::type: {
      const filter_fault fault = fault_of_type(predicate, work_);
      if (fault != filter_fault::none) return fail(fault);
      return bound_to(
          [&](const field_rules& rules) { return of_type(predicate, rules, memory_); });
    }
    case field_operator::mod:
      if (!is_valid_mod(predicate)) return fail(filter_fault::refused);
      return bound_to([&](const field_rules& rules) { return any_number(rules, memory_); });
    case field_operator::regex: {
      const auto regex = others.regex_of_operand(predicate);
      const auto fault = regex ? fault_of(*regex, rules_.version) : filter_fault::refused;
      if (fault != filter_fault::none) return fail(fault);
      return bound_to(
          [&](const field_rules& rules) { return matching_regex(*regex, rules, memory_); });
    }
    case field_operator::near:
      if (rules_.is_stage) return fail(fault_of_near(rules_.version));
      if (is_place(predicate) && std::exchange(facts_.has_near, true) && at.may_pin)
        return fail(filter_fault::refused);  // mongo: query/canonical_query.cpp, isValid
      [[fallthrough]];
    case field_operator::neutral:
      return bound_to([](const field_rules&) {
        return field_bounds::nothing_known(reason::not_indexable);
      });
    default:  // $gt, $gte, $lt, $lte
      if (is_refused_operand(predicate)) return fail(filter_fault::refused);
      if (at.negated && excludes_only_end(op, predicate)) {
        bound_same(path, at.plain(), [&](const field_rules& rules) {
          return bounds_of_excluded_end(predicate, rules, memory_);
        });
        return true;
      }
      return bound_to([&](const field_rules& rules) {
        return compared_to(op, predicate, true, rules, memory_);
      });
  }
}

bool filter_walk::walk_in(const match_path& path, const element& list, bool excluded,
                          const place& at) noexcept {
  const auto members = list.as_array();
  if (!members) return fail(filter_fault::refused);
  if (excluded) ++facts_.other_predicates;
  facts_.has_empty_list |= members->is_empty();
  facts_.needs_empty_list |= members->is_empty() && !excluded && !at.negated && at.may_pin;
  if (members->is_empty() && empty_list_is_false(rules_.version)) {
    if (excluded == at.negated) walk_nothing(at);
    return true;
  }
  if (const auto only = only_member(*members, work_);
      only && only->type() != bson_type::regex) {
    if (is_operator_document(*only)) return fail(filter_fault::refused);
    return equality(path, *only, excluded ? at.inverted() : at);
  }
  const auto fault = fault_of_list(*members, rules_.version, work_);
  if (fault != filter_fault::none) return fail(fault);
  note(path.name, excluded != at.negated);
  if (!excluded) ++facts_.other_predicates;
  bound_same(path, excluded ? at.inverted() : at, [&](const field_rules& rules) {
    facts_.has_logical_shards |= !excluded && are_logical_shards(*members, work_);
    return one_of(*members, rules, memory_);
  });
  return true;
}

/// Reads an `$all`: a conjunction of equalities with its members.
bool filter_walk::walk_members(const match_path& path, const element& list,
                               const place& at) noexcept {
  const auto members = list.as_array();
  if (!members) return fail(filter_fault::refused);
  if (members->is_empty()) {
    if (!at.negated) walk_nothing(at);
    return true;
  }
  // The negation of several members gives no bounds.
  key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
  const bool given_up = at.negated && !only_member(*members, work_);
  const place inner{given_up ? aside : at.bounds, at.unions, at.negated, at.may_pin};
  wire::metered_reader reader{*members, work_};
  for (element member; reader.next(member);) {
    pay_for_predicate();
    if (is_operator_document(member)) {
      const auto elem_match = wire::find_field(*member.as_document(), "$elemMatch", work_);
      if (!elem_match) return fail(filter_fault::refused);
      if (!walk_elem_match(path, *elem_match, inner)) return false;
    } else if (member.type() == bson_type::regex) {
      if (!walk_field(path, member, inner)) return false;
    } else if (!equality(path, member, inner)) {
      return false;
    }
  }
  return !reader.is_corrupt() || fail(filter_fault::unreadable);
}

bool filter_walk::walk_elem_match(const match_path& path, const element& condition,
                                  const place& at) noexcept {
  const auto inner = condition.as_document();
  if (!inner) return fail(filter_fault::refused);
  // No index shows that no member matches, so a negated $elemMatch is read only for faults.
  key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
  const place within{at.negated ? aside : at.bounds, at.negated ? nullptr : at.unions};
  if (is_on_values(*inner)) {
    if (at.negated) {
      ++elements_;
      const bool sound = walk_operators(path, *inner, within);
      --elements_;
      return sound;
    }
    return walk_elem_match_value(path, *inner, at);
  }
  bound_same(path, within, [](const field_rules&) {
    return field_bounds::nothing_known(reason::not_indexable);
  });
  const match_path below = path_below(path);
  const bool was_false = std::exchange(within.bounds.is_false, false);
  const bool sound = walk(*inner, &below, within);
  const bool is_never = std::exchange(within.bounds.is_false, was_false);
  if (is_never && !at.negated && may_see_never_member(rules_.version)) walk_late_nothing(at);
  return sound;
}

/// The path of an $elemMatch, as the outer path of the conditions in it.
match_path filter_walk::path_below(const match_path& path) const noexcept {
  match_path below = path;
  below.reaches_key = (path.outer == nullptr || path.outer->reaches_key) &&
                      std::ranges::any_of(target_.key, [&](const key_field& field) {
                        std::string_view rest;
                        return relate(path, field.path, rest) == path_relation::above;
                      });
  return below;
}

/// Reads an $elemMatch with operators on the array's members themselves. An index supports it
/// if it supports every operator (mongo: query/indexability.h, arrayUsesIndexOnOwnField).
bool filter_walk::walk_elem_match_value(const match_path& path, document_view operators,
                                        const place& at) noexcept {
  key_bounds alone = key_bounds::unbounded(target_.key.size(), memory_);
  ++elements_;
  const bool sound = walk_operators(path, operators, {alone, at.unions});
  --elements_;
  if (!sound) return false;
  if (alone.is_false && may_see_never_member(rules_.version)) walk_late_nothing(at);
  bound_members(path, alone, at);
  return true;
}

/// Adds the bounds of an $elemMatch with operators on the members; `alone`: those of the
/// operators.
void filter_walk::bound_members(const match_path& path, const key_bounds& alone,
                                const place& at) noexcept {
  std::string_view rest;
  for (std::size_t i = 0; i < target_.key.size(); ++i) {
    if (!alone.named.contains(i) ||
        relate(path, target_.key[i].path, rest) != path_relation::same)
      continue;
    const bool uses_index = !alone.not_indexable.contains(i) && !target_.key[i].hashed;
    bound(i,
          uses_index ? field_bounds{alone.fields[i], reason::not_indexable, false, false}
                     : field_bounds::nothing_known(reason::not_indexable),
          at.plain());
  }
}

// Equalities, which may pin the full key.

bool filter_walk::equality(const match_path& path, const element& value,
                           const place& at) noexcept {
  if (value.type() == bson_type::undefined) return fail(filter_fault::refused);
  note(path.name, at.negated);
  const bool is_whole = at.may_pin && path.outer == nullptr;
  const bool is_plain = value.type() != bson_type::regex && !value.is_array();
  const bool is_id = is_whole && path.name == "_id";
  const bool may_repeat = rules_.version >= server_version{7, 1} && !is_planned_;
  if (is_id) facts_.note_id(value, is_plain, may_repeat, work_);
  if (is_whole && path.name.starts_with("_id.")) {
    // mongo: update/path_support.cpp, extractFullEqualityMatches, NotExactValueField.
    facts_.ids_differ = true;
    facts_.id.reset();
  }
  if (!is_id || !is_plain) ++facts_.other_predicates;
  if (path.outer != nullptr && !path.outer->reaches_key) return true;
  std::string_view rest;
  for (std::size_t i = 0; i < target_.key.size(); ++i) {
    switch (relate(path, target_.key[i].path, rest)) {
      case path_relation::unrelated:
        break;
      case path_relation::below:
        pins_.is_void |= is_whole;
        break;
      case path_relation::same:
        if (is_whole && !at.negated) {
          pin(i, value, false, at);
        } else {
          const bool is_bare = path.outer == nullptr && elements_ == 0 && at.unions == &unions_;
          facts_.has_double_negated_equality |=
              is_bare && !at.negated && form_ == boolean_form::simplified;
          bound(i, equal_to(value, rules_of(i), memory_), at);
        }
        break;
      case path_relation::above:
        facts_.may_pin_parent |= !is_whole && value.is_document();
        if (is_whole && !at.negated) pin_by_parent(i, value, rest, at);
        break;
    }
  }
  return true;
}

/// An equality on a parent document of a key field. Next to another one on the field or a
/// parent, it conflicts with that (mongo: update/path_support.cpp, checkEqualityConflicts).
void filter_walk::pin_by_parent(std::size_t field, const element& value, std::string_view rest,
                                const place& at) noexcept {
  const auto parent = value.as_document();
  const auto inner = parent ? find_path(*parent, rest, work_) : std::nullopt;
  if (inner) return pin(field, *inner, true, at);
  pins_.without_value.insert(field);
  pins_.is_void |= pins_.pinned.contains(field);
}

/// Records an equality on a key field that applies to the whole filter, as a pin. If the field
/// already has another value, nothing is pinned, and both values only give bounds.
void filter_walk::pin(std::size_t field, const element& value, bool from_parent,
                      const place& at) noexcept {
  if (!from_parent && !pins_.pinned.contains(field)) at.bounds.named.insert(field);
  if (!pins_.add(field, value, from_parent, may_simplify() && !is_planned_, work_)) return;
  bound(field, equal_to(value, rules_of(field), memory_), at);
}

// `$expr`: mongos rewrites it to comparisons, whose bounds include values of all types (mongo:
// matcher/expression_expr.cpp, optimize()).

bool filter_walk::take_expression(const element& expression, const place& at) noexcept {
  const filter_fault fault = fault_of_expression(expression, rules_, memory_);
  if (fault != filter_fault::none) return fail(fault);
  // A negated $expr gives no bounds: mongos adds the comparisons to it, within the negation.
  if (at.negated || at.unions == nullptr) return true;
  pay_for_predicate();
  const auto* from = rewrite(expression, rules_.let, rules_.version, memory_);
  if (may_simplify() && may_be_constant(from)) take_constant(expression, at);
  return from == nullptr || walk_rewritten(*from, at);
}

/// If an $expr is constantly false and mongos detects this, mongos computes no bounds (mongo:
/// matcher/expression_expr.cpp, ExprMatchExpression::isTriviallyFalse). For 8.0 this wasn't
/// examined, so mongos may or may not detect it. From 8.2 on mongos certainly does, and removes
/// a branch of an $or because of it (mongo: compiler/rewrites/matcher/expression_optimizer.cpp
/// at 1c287af, exprOptimizer).
void filter_walk::take_constant(const element& expression, const place& at) noexcept {
  const expression_truth truth = truth_of(expression, rules_.let, rules_.version, memory_);
  if (truth == expression_truth::never) walk_late_nothing(at);
  if (truth != expression_truth::unknown || !at.may_pin) return;
  facts_.may_be_false = true;
  walk_nothing(at);
}

bool filter_walk::walk_rewritten(const rewritten_expression& from, const place& at) noexcept {
  using kind = rewritten_expression::kind;
  if (!depth_.enter()) return fail(filter_fault::too_deep);
  bool sound = true;
  switch (from.is) {
    case kind::any:
      if (from.first != nullptr && from.first->next != nullptr) {
        at.unions->add({{}, &from, nullptr}, memory_);
        break;
      }
      [[fallthrough]];
    case kind::all:
      for (const auto* each = from.first; sound && each != nullptr; each = each->next) {
        sound = walk_rewritten(*each, at);
      }
      break;
    default:
      walk_comparison(from, at);
  }
  depth_.leave();
  return sound;
}

/// Adds the bounds of a rewritten comparison, but no pin: mongos takes a full key only from
/// equalities outside of $expr (mongo: update/path_support.cpp, extractFullEqualityMatches).
void filter_walk::walk_comparison(const rewritten_expression& from, const place& at) noexcept {
  using kind = rewritten_expression::kind;
  pay_for_predicate();
  const match_path path{from.path};
  const auto list = from.op == field_operator::in ? from.value.as_array() : std::nullopt;
  if (list && list->is_empty()) return walk_nothing(at);
  // mongos turns a list of one value into an equality (mongo: InMatchExpression::getOptimizer).
  const bool is_single = list && at.may_pin && only_member(*list, work_).has_value();
  facts_.has_single_value_list |= is_single;
  if (list) note(path.name, false);
  if (from.is == kind::varying) {
    if (at.may_pin) add_varying(path.name);
    return;
  }
  for (std::size_t i = 0; is_single && i < target_.key.size(); ++i) {
    if (target_.key[i].path == path.name) pins_.listed.insert(i);
  }
  bound_same(path, at, [&](const field_rules& rules) {
    if (from.is_hash) return hashing_to(from.value, rules, memory_);
    if (from.is == kind::some_date) return with_unknown_date(from.op, rules, memory_);
    if (from.op == field_operator::eq) return equal_to(from.value, rules, memory_);
    if (from.op == field_operator::in) return one_of(*list, rules, memory_);
    return compared_to(from.op, from.value, false, rules, memory_);
  });
}

}  // namespace scattergate::routing
