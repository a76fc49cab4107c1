#include "routing/bounds/filter_parts.hpp"

#include <algorithm>

#include "routing/keys/key_encoding.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

std::optional<std::string_view> field_reference(std::string_view text) noexcept {
  for (const std::string_view start : {"$$CURRENT.", "$$ROOT."}) {
    if (text.starts_with(start)) return text.substr(start.size());
  }
  if (text.size() < 2 || text[0] != '$' || text[1] == '$') return std::nullopt;
  return text.substr(1);
}

bool is_operator_document(const wire::element& value) noexcept {
  const auto inner = value.as_document();
  if (!inner) return false;
  wire::document_reader reader{*inner};
  wire::element first;
  if (!reader.next(first) || !first.key().starts_with('$')) return false;
  if (first.key() == "$ref" || first.key() == "$id" || first.key() == "$db") return false;
  // A document with both of these fields is a DBRef, wherever they stand (mongo:
  // matcher/expression_parser.cpp, isDBRefDocument).
  bool has_ref = false;
  bool has_id = false;
  for (wire::element field; !(has_ref && has_id) && reader.next(field);) {
    has_ref |= field.key() == "$ref";
    has_id |= field.key() == "$id";
  }
  return !(has_ref && has_id);
}

std::optional<wire::element> find_path(wire::document_view document, std::string_view path,
                                       wire::work_budget& work) noexcept {
  for (;;) {
    const std::size_t dot = path.find('.');
    const auto found = wire::find_field(document, path.substr(0, dot), work);
    if (!found || dot == std::string_view::npos || found->is_array()) return found;
    const auto inner = found->as_document();
    if (!inner) return std::nullopt;
    document = *inner;
    path.remove_prefix(dot + 1);
  }
}

bool same_value(const wire::element& left, const wire::element& right) noexcept {
  return left.type() == right.type() && std::ranges::equal(left.value(), right.value());
}

using wire::element;

std::optional<element> only_member(wire::document_view members,
                                   wire::work_budget& work) noexcept {
  wire::metered_reader reader{members, work};
  element first;
  element second;
  if (!reader.next(first)) return std::nullopt;
  // mongos removes repeated values from a list, also numbers that are equal but have different
  // types (mongo: matcher/expression_leaf.cpp, InMatchExpression::setEqualities).
  while (reader.next(second)) {
    if (!same_value(first, second) && !are_equal_numbers(first, second, work)) {
      return std::nullopt;
    }
    work.charge(second.value().size() / 16);
  }
  if (reader.is_corrupt() || work.is_spent()) return std::nullopt;
  return first;
}

}  // namespace scattergate::routing
