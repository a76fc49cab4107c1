// The part of filter_walk that reads `$expr`: what it was rewritten to bounds fields without
// regard to types (mongo: matcher/expression_expr.cpp, optimize()).

#include "routing/bounds/filter_walk.hpp"
#include "routing/bounds/in_bounds.hpp"
#include "routing/bounds/language.hpp"
#include "routing/bounds/only_member.hpp"

namespace scattergate::routing {

using wire::element;

bool filter_walk::take_expression(const element& expression, const place& at) noexcept {
  const refusal refused = refusal_of_expression(expression, rules_.version, work_);
  if (refused == refusal::expression_form) return fail(filter_fault::malformed_expression);
  if (refused != refusal::none) return fail(filter_fault::bad_expression);
  // Its negation bounds nothing: what was rewritten stands beside the expression itself.
  if (at.negated || at.unions == nullptr) return true;
  pay_for_predicate();
  const auto* from = rewrite(expression, rules_.let, rules_.version, memory_);
  if (may_simplify() && at.may_pin && may_be_constant(from)) take_constant(expression, at);
  return from == nullptr || walk_rewritten(*from, at);
}

/// What is never true leaves no plan with bounds, where mongos sees it (mongo: matcher/
/// expression_expr.cpp, ExprMatchExpression::isTriviallyFalse). Not read in 8.0, where it may.
void filter_walk::take_constant(const element& expression, const place& at) noexcept {
  const expression_truth truth = truth_of(expression, rules_.let, rules_.version, memory_);
  facts_.may_be_false |= truth == expression_truth::unknown;
  if (truth == expression_truth::never || truth == expression_truth::unknown) walk_nothing(at);
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

/// It bounds, but never pins: mongos takes a full key from plain equalities alone (mongo:
/// update/path_support.cpp, extractFullEqualityMatches).
void filter_walk::walk_comparison(const rewritten_expression& from, const place& at) noexcept {
  using kind = rewritten_expression::kind;
  pay_for_predicate();
  const match_path path{from.path};
  const auto list = from.op == field_operator::in ? from.value.as_array() : std::nullopt;
  if (list && list->is_empty()) return walk_nothing(at);
  // mongo: matcher/expression_leaf.cpp, InMatchExpression::getOptimizer: it is an equality.
  facts_.has_only_listed |= list && at.may_pin && only_member(*list, work_).has_value();
  if (from.is == kind::varying) {
    if (at.may_pin) add_varying(path.name);
    return;
  }
  bound_same(path, at, [&](const field_rules& rules) {
    if (from.is == kind::some_date) return beside_some_date(from.op, rules, memory_);
    if (from.op == field_operator::eq) return equal_to(from.value, rules, memory_);
    if (from.op == field_operator::in) return one_of(*list, rules, memory_);
    return compared_to(from.op, from.value, false, rules, memory_);
  });
}

}  // namespace scattergate::routing
