#include "tests/support/plain_matcher.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "routing/keys/key_encoding.hpp"

namespace scattergate::tests {
namespace {

using routing::canonical_type;
using routing::canonical_type_of;
using wire::bson_type;
using wire::document_view;
using wire::element;
using maybe_element = std::optional<element>;

[[noreturn]] void unsupported(std::string_view what) {
  throw std::invalid_argument("the plain matcher doesn't know " + std::string{what});
}

std::vector<element> fields_of(document_view document) {
  std::vector<element> fields;
  wire::document_reader reader{document};
  for (element field; reader.next(field);) fields.push_back(field);
  return fields;
}

std::vector<element> members_of(const element& list) {
  return fields_of(list.as_container().value());
}

maybe_element at_path(document_view document, std::string_view path) {
  const std::size_t dot = path.find('.');
  for (const element& field : fields_of(document)) {
    if (field.key() != path.substr(0, dot)) continue;
    if (dot == std::string_view::npos) return field;
    if (!field.is_document()) return std::nullopt;
    return at_path(*field.as_document(), path.substr(dot + 1));
  }
  return std::nullopt;
}

/// MongoDB's order of two values.
int compare(const element& left, const element& right) {
  std::vector<std::byte> a;
  std::vector<std::byte> b;
  if (!routing::append_encoded(a, left) || !routing::append_encoded(b, right)) {
    unsupported("a value");
  }
  return routing::compare_encoded(a, b);
}

bool is_nan(const element& value) {
  if (value.type() != bson_type::float64) return false;
  double number = 0;
  std::memcpy(&number, value.value().data(), sizeof number);
  return std::isnan(number);
}

bool equals(const maybe_element& value, const element& operand) {
  if (!value) return operand.type() == bson_type::null;
  return canonical_type_of(value->type()) == canonical_type_of(operand.type()) &&
         compare(*value, operand) == 0;
}

bool holds(std::string_view op, int order) {
  if (op == "$gt") return order > 0;
  if (op == "$gte") return order >= 0;
  if (op == "$lt") return order < 0;
  if (op == "$lte") return order <= 0;
  if (op == "$eq") return order == 0;
  if (op == "$ne") return order != 0;
  unsupported(op);
}

bool is_comparison(std::string_view op) {
  return op == "$gt" || op == "$gte" || op == "$lt" || op == "$lte";
}

/// $gt, $gte, $lt, $lte: within the operand's type, except for the ends of all types.
bool compares(std::string_view op, const maybe_element& value, const element& operand) {
  const bool or_equal = op == "$gte" || op == "$lte";
  if (operand.type() == bson_type::null) {
    return or_equal && (!value || value->type() == bson_type::null);
  }
  if (!value) {  // above and below the ends like any other value
    if (operand.type() == bson_type::min_key) return op.starts_with("$gt");
    return operand.type() == bson_type::max_key && op.starts_with("$lt");
  }
  const bool is_end =
      operand.type() == bson_type::min_key || operand.type() == bson_type::max_key;
  if (!is_end && canonical_type_of(value->type()) != canonical_type_of(operand.type())) {
    return false;
  }
  if (!is_end && (is_nan(*value) || is_nan(operand))) {
    return or_equal && is_nan(*value) && is_nan(operand);
  }
  return holds(op, compare(*value, operand));
}

bool has_type(const maybe_element& value, const element& operand) {
  if (!value) return false;
  const std::string_view name = operand.as_string();
  if (name == "number") return value->is_number();
  if (name == "string") return value->is_string();
  if (name == "null") return value->type() == bson_type::null;
  if (name == "object") return value->is_document();
  if (name == "bool") return value->type() == bson_type::boolean;
  unsupported(name);
}

bool is_multiple(const maybe_element& value, const element& operand) {
  if (!value || !value->is_number()) return false;
  const auto number = value->as_int64();
  const std::vector<element> parts = members_of(operand);
  return number && *number % parts.at(0).as_int64().value() == parts.at(1).as_int64().value();
}

/// A pattern of `^` and plain letters.
bool begins_with(const maybe_element& value, std::string_view pattern) {
  if (!pattern.starts_with('^')) unsupported(pattern);
  return value && value->is_string() && value->as_string().starts_with(pattern.substr(1));
}

bool all_hold(const maybe_element& value, document_view operators);

bool is_operators(const element& operand) {
  if (!operand.is_document()) return false;
  const std::vector<element> fields = fields_of(*operand.as_document());
  return !fields.empty() && fields.front().key().starts_with('$');
}

bool one_of(const maybe_element& value, const element& list) {
  for (const element& member : members_of(list)) {
    if (equals(value, member)) return true;
  }
  return false;
}

bool operator_holds(const maybe_element& value, const element& one) {
  const std::string_view op = one.key();
  if (op == "$eq") return equals(value, one);
  if (op == "$ne") return !equals(value, one);
  if (is_comparison(op)) return compares(op, value, one);
  if (op == "$in") return one_of(value, one);
  if (op == "$nin") return !one_of(value, one);
  if (op == "$exists") return value.has_value() == one.is_truthy();
  if (op == "$type") return has_type(value, one);
  if (op == "$mod") return is_multiple(value, one);
  if (op == "$regex") return begins_with(value, one.as_string());
  if (op == "$not") return !all_hold(value, one.as_container().value());
  if (op == "$all") {
    const std::vector<element> members = members_of(one);
    for (const element& member : members) {
      if (!equals(value, member)) return false;
    }
    return !members.empty();
  }
  unsupported(op);
}

bool all_hold(const maybe_element& value, document_view operators) {
  for (const element& one : fields_of(operators)) {
    if (!operator_holds(value, one)) return false;
  }
  return true;
}

/// One side of an expression's comparison: a field's value or a constant.
maybe_element operand_of(const element& side, document_view document) {
  if (side.is_string() && side.as_string().starts_with('$')) {
    return at_path(document, side.as_string().substr(1));
  }
  return side;
}

/// A missing field is less than anything, and only equal to a missing one.
bool expression_holds(const element& expression, document_view document) {
  const element call = fields_of(expression.as_container().value()).at(0);
  const std::vector<element> parts = members_of(call);
  if (call.key() == "$and" || call.key() == "$or") {
    const bool any = call.key() == "$or";
    for (const element& part : parts) {
      if (expression_holds(part, document) == any) return any;
    }
    return !any;
  }
  const maybe_element left = operand_of(parts.at(0), document);
  const maybe_element right = operand_of(parts.at(1), document);
  const int order =
      left && right ? compare(*left, *right)
                    : static_cast<int>(left.has_value()) - static_cast<int>(right.has_value());
  return holds(call.key(), order);
}

bool tree_holds(const element& part, document_view document) {
  const std::string_view op = part.key();
  if (op == "$expr") return expression_holds(part, document);
  const bool any = op == "$or" || op == "$nor";
  if (!any && op != "$and") unsupported(op);
  bool found = !any;
  for (const element& branch : members_of(part)) {
    if (matches(branch.as_container().value(), document) == any) found = any;
  }
  return op == "$nor" ? !found : found;
}

}  // namespace

bool matches(document_view filter, document_view document) {
  for (const element& part : fields_of(filter)) {
    if (part.key().starts_with('$')) {
      if (!tree_holds(part, document)) return false;
      continue;
    }
    const maybe_element value = at_path(document, part.key());
    const bool sound =
        is_operators(part) ? all_hold(value, *part.as_document()) : equals(value, part);
    if (!sound) return false;
  }
  return true;
}

}  // namespace scattergate::tests
