#include "routing/bounds/redact_rules.hpp"

#include <algorithm>

#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/operator_document.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::document_view;
using wire::element;

/// A number in a path may be a position in an array, which a $redact shifts.
bool has_position(std::string_view path) noexcept {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    if (!name.empty() && std::ranges::all_of(name, is_digit)) return true;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return false;
}

/// A value that a field, not its absence or a part of it, is compared with.
bool is_plain(const element& value) noexcept {
  return !value.is_array() && !value.is_document() && value.type() != bson_type::null &&
         value.type() != bson_type::undefined;
}

bool are_plain(const element& list, wire::work_budget& work) noexcept {
  const auto members = list.as_array();
  if (!members) return false;
  wire::metered_reader reader{*members, work};
  for (element member; reader.next(member);) {
    if (!is_plain(member)) return false;
  }
  return true;
}

bool is_safe_operator(const element& predicate, wire::work_budget& work) noexcept {
  switch (field_operator_of(predicate.key())) {
    case field_operator::type:
    case field_operator::regex:
    case field_operator::options:
    case field_operator::mod:
      return true;
    case field_operator::eq:
    case field_operator::gt:
    case field_operator::gte:
    case field_operator::lt:
    case field_operator::lte:
      return is_plain(predicate);
    case field_operator::in:
    case field_operator::all:
      return are_plain(predicate, work);
    default:
      return false;
  }
}

}  // namespace

bool may_precede_redact(const element& part, wire::work_budget& work) noexcept {
  if (has_position(part.key())) return false;
  if (!part.is_document()) return is_plain(part);
  if (!is_operator_document(part)) return false;
  wire::metered_reader reader{part.as_document().value_or(document_view{}), work};
  for (element predicate; reader.next(predicate);) {
    if (!is_safe_operator(predicate, work)) return false;
  }
  return true;
}

}  // namespace scattergate::routing
