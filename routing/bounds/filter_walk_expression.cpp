// The part of filter_walk that reads `$expr`: comparisons of a field with a constant bound it,
// without regard to types (mongo: matcher/rewrite_expr.cpp).

#include <array>

#include "routing/bounds/field_reference.hpp"
#include "routing/bounds/filter_walk.hpp"
#include "routing/bounds/language.hpp"
#include "routing/bounds/only_member.hpp"

namespace scattergate::routing {

using wire::bson_type;
using wire::element;

namespace {

/// One side of a comparison.
struct operand {
  enum class kind : std::uint8_t { other, field, constant, varying } is = kind::other;
  std::string_view path;  ///< of a field
  element value;          ///< of a constant
};

/// A literal of the aggregation language that stands for itself.
bool is_plain_constant(const element& value) noexcept {
  if (value.is_document() || value.is_array()) return false;
  return !value.is_string() || !value.as_string().starts_with('$');
}

/// The inside of {$literal: ...}.
std::optional<element> literal_of(const element& value) noexcept {
  const auto inner = value.as_document();
  if (!inner) return std::nullopt;
  wire::document_reader reader{*inner};
  element only;
  element second;
  if (!reader.next(only) || reader.next(second) || reader.is_corrupt()) return std::nullopt;
  const bool is_literal = only.key() == "$literal" || only.key() == "$const";
  return is_literal ? std::optional{only} : std::nullopt;
}

/// A constant that a field may be compared with.
operand constant_of(const element& value) noexcept {
  const auto literal = literal_of(value);
  const element& meant = literal ? *literal : value;
  if (!literal && !is_plain_constant(value)) return {};
  if (meant.is_array() || meant.type() == bson_type::undefined) return {};
  return {operand::kind::constant, {}, meant};
}

operand variable_of(std::string_view name, const filter_rules& rules,
                    wire::work_budget& work) noexcept {
  if (rules.let == nullptr || name.find('.') != std::string_view::npos) return {};
  const auto bound_to = rules.let->find(name, work);
  if (!bound_to) return {};
  if (!rules.let->are_constant()) return {operand::kind::varying, {}, {}};
  return constant_of(*bound_to);
}

operand operand_of(const element& value, const filter_rules& rules,
                   wire::work_budget& work) noexcept {
  if (value.is_string()) {
    const std::string_view text = value.as_string();
    if (const auto path = field_reference(text)) return {operand::kind::field, *path, {}};
    if (text.starts_with("$$")) return variable_of(text.substr(2), rules, work);
  }
  return constant_of(value);
}

field_operator mirrored(field_operator op) noexcept {
  switch (op) {
    case field_operator::gt:
      return field_operator::lt;
    case field_operator::gte:
      return field_operator::lte;
    case field_operator::lt:
      return field_operator::gt;
    case field_operator::lte:
      return field_operator::gte;
    default:
      return op;
  }
}

/// The comparisons that mongos rewrites.
field_operator comparison_of(std::string_view name) noexcept {
  const field_operator op = field_operator_of(name);
  const bool is_known = op == field_operator::eq || op == field_operator::gt ||
                        op == field_operator::gte || op == field_operator::lt ||
                        op == field_operator::lte;
  return is_known ? op : field_operator::unknown;
}

}  // namespace

bool filter_walk::take_expression(const element& expression, const place& at) noexcept {
  const refusal refused = refusal_of_expression(expression, rules_.version, work_);
  if (refused == refusal::expression_form) return fail(filter_fault::malformed_expression);
  if (refused != refusal::none) return fail(filter_fault::bad_expression);
  return walk_expression(expression, at);
}

bool filter_walk::walk_expression(const element& expression, const place& at) noexcept {
  const auto inner = expression.as_document();
  // Its negation bounds nothing: what isn't rewritten can't be complemented.
  if (!inner || at.negated) return true;
  if (!depth_.enter()) return fail(filter_fault::too_deep);
  wire::metered_reader reader{*inner, work_};
  element call;
  bool sound = true;
  pay_for_predicate();
  if (reader.next(call)) {
    if (call.key() == "$and" || call.key() == "$or") {
      sound = walk_expression_list(call, call.key() == "$or", at);
    } else if (const auto op = comparison_of(call.key()); op != field_operator::unknown) {
      sound = walk_comparison(op, call, at);
    }
  }
  if (sound && reader.is_corrupt()) sound = fail(filter_fault::unreadable);
  depth_.leave();
  return sound;
}

bool filter_walk::walk_expression_list(const element& list, bool any,
                                       const place& at) noexcept {
  const auto members = list.as_array();
  if (!members) return true;
  wire::metered_reader reader{*members, work_};
  if (!any || members->is_empty() || only_member(*members, work_)) {
    for (element member; reader.next(member);) {
      if (!walk_expression(member, at)) return false;
    }
    return !reader.is_corrupt() || fail(filter_fault::unreadable);
  }
  return walk_union(reader, at, [&](const element& member, key_bounds& one) {
    return one.fields.empty() || walk_expression(member, {one, false, false});
  });
}

bool filter_walk::walk_comparison(field_operator op, const element& operands,
                                  const place& at) noexcept {
  const auto pair = operands.as_array();
  if (!pair) return true;
  wire::metered_reader reader{*pair, work_};
  std::array<element, 3> sides;
  std::size_t count = 0;
  while (count < sides.size() && reader.next(sides[count])) ++count;
  if (reader.is_corrupt()) return fail(filter_fault::unreadable);
  if (count != 2) return true;

  operand field = operand_of(sides[0], rules_, work_);
  operand other = operand_of(sides[1], rules_, work_);
  if (field.is != operand::kind::field) {
    std::swap(field, other);
    op = mirrored(op);
  }
  if (field.is != operand::kind::field) return true;
  if (other.is == operand::kind::varying) {
    if (op == field_operator::eq && at.may_pin) add_varying(field.path);
    return true;
  }
  if (other.is != operand::kind::constant) return true;
  const match_path path{field.path};
  if (op == field_operator::eq) return equality(path, other.value, at);
  bound_same(path, at, [&](const field_rules& rules) {
    return compared_to(op, other.value, false, rules, memory_);
  });
  return true;
}

}  // namespace scattergate::routing
