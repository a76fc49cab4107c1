#include "routing/pipeline/key_comparison.hpp"

#include <array>

#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

bool is_field(const element& operand) noexcept {
  return operand.is_string() && operand.as_string().starts_with('$');
}

/// Whether the operand is a constant. Doesn't evaluate constant expressions, as mongos does, so
/// it may be false for a constant.
bool is_constant(const element& operand) noexcept {
  using wire::bson_type;
  const bson_type type = operand.type();
  return !is_field(operand) && !operand.as_container() && type != bson_type::null &&
         type != bson_type::undefined;
}

bool are_constants(const element& list, wire::work_budget& work) noexcept {
  const auto members = list.as_array();
  if (!members) return false;
  wire::metered_reader reader{*members, work};
  for (element member; reader.next(member);) {
    if (!is_constant(member)) return false;
  }
  return true;
}

bool compares(const element& operation, wire::work_budget& work) noexcept {
  std::array<element, 2> operands;
  element extra;
  wire::metered_reader reader{operation.as_array().value_or(document_view{}), work};
  if (!reader.next(operands[0]) || !reader.next(operands[1]) || reader.next(extra))
    return false;
  const auto& [left, right] = operands;
  if (operation.key() == "$in") return is_field(left) && are_constants(right, work);
  return (is_field(left) && is_constant(right)) || (is_constant(left) && is_field(right));
}

bool is_comparison(std::string_view name) noexcept {
  for (const std::string_view each : {"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in"}) {
    if (name == each) return true;
  }
  return false;
}

bool joins(std::string_view name) noexcept {
  return name == "$and" || name == "$or" || name == "$not";
}

bool is_comparison_within(const element& expression, wire::work_budget& work,
                          std::uint32_t depth) noexcept {
  const auto call = expression.as_document();
  if (!call || depth >= wire::limits::inspect_depth) return false;
  wire::metered_reader reader{*call, work};
  element operation;
  element extra;
  if (!reader.next(operation) || reader.next(extra)) return false;
  if (is_comparison(operation.key())) return compares(operation, work);
  if (!joins(operation.key())) return false;
  if (operation.as_document()) return is_comparison_within(operation, work, depth + 1);
  wire::metered_reader operands{operation.as_array().value_or(document_view{}), work};
  for (element each; operands.next(each);) {
    if (!is_comparison_within(each, work, depth + 1)) return false;
  }
  return true;
}

}  // namespace

bool is_key_comparison(const element& expression, wire::work_budget& work) noexcept {
  return is_comparison_within(expression, work, 0);
}

}  // namespace scattergate::routing
