#pragma once

#include <optional>
#include <string_view>

#include "wire/bson.hpp"

/// Reads the values that a filter requires of fields, and the values of a document's fields,
/// without allocating.
namespace scattergate::digest {

namespace pinning {

/// The limit for the nesting depth of `$and`, and for the components of a path. Deeper filters
/// and values are ignored.
inline constexpr int most_levels = 8;

/// Whether an equality with this value pins a field to one value. False for a regular
/// expression, which matches many values, and for an array, which no shard key contains.
[[nodiscard]] inline bool is_point(const wire::element& value) noexcept {
  return value.type() != wire::bson_type::regex && !value.is_array();
}

template <typename Visit>
void visit_list(std::string_view path, const wire::element& values, Visit& visit) {
  const auto list = values.as_array();
  if (!list) return;
  wire::document_reader reader{*list};
  for (wire::element one; reader.next(one);) {
    if (is_point(one)) visit(path, one);
  }
}

template <typename Visit>
void visit_field(const wire::element& field, Visit& visit) {
  const auto operators = field.as_document();
  wire::document_reader reader{operators.value_or(wire::document_view{})};
  wire::element each;
  if (!operators || !reader.next(each) || !each.key().starts_with('$')) {
    if (is_point(field)) visit(field.key(), field);
    return;
  }
  do {
    if (each.key() == "$eq" && is_point(each)) visit(field.key(), each);
    if (each.key() == "$in") visit_list(field.key(), each, visit);
  } while (reader.next(each));
}

}  // namespace pinning

/// Calls `visit(path, value)` for each value to which a filter pins a field: by equality, `$eq`
/// or `$in`, including within `$and`. Each member of an `$in` list is one value: {a: 1, b:
/// {$in: [2, 3]}} → (a, 1), (b, 2), (b, 3). Leave out `level`, which counts the recursion
/// through `$and`.
template <typename Visit>
void for_each_pinned(wire::document_view filter, Visit&& visit, int level = 0) {
  if (level == pinning::most_levels) return;
  wire::document_reader reader{filter};
  for (wire::element field; reader.next(field);) {
    if (!field.key().starts_with('$')) {
      pinning::visit_field(field, visit);
    } else if (field.key() == "$and") {
      const auto branches = field.as_array();
      wire::document_reader list{branches.value_or(wire::document_view{})};
      for (wire::element branch; list.next(branch);) {
        if (const auto one = branch.as_document()) for_each_pinned(*one, visit, level + 1);
      }
    }
  }
}

/// The document in the field `name` of `from`; std::nullopt if there is none.
[[nodiscard]] inline std::optional<wire::document_view> document_in(wire::document_view from,
                                                                    std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field ? field->as_document() : std::nullopt;
}

/// The value at a dotted path within a value; std::nullopt if it is absent, the path crosses
/// an array, or the path has more than pinning::most_levels components.
[[nodiscard]] inline std::optional<wire::element> value_at(const wire::element& outer,
                                                           std::string_view path) {
  wire::element at = outer;
  for (int level = 0; level < pinning::most_levels; ++level) {
    const auto document = at.as_document();
    if (!document) return std::nullopt;
    const std::size_t dot = path.find('.');
    const auto found = wire::find_field(*document, path.substr(0, dot));
    if (!found || dot == path.npos) return found;
    at = *found;
    path.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

/// The value at a dotted path of a document; std::nullopt if it is absent, the path crosses an
/// array, or the path has more than pinning::most_levels + 1 components.
[[nodiscard]] inline std::optional<wire::element> value_at(wire::document_view document,
                                                           std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto found = wire::find_field(document, path.substr(0, dot));
  if (!found || dot == path.npos) return found;
  return value_at(*found, path.substr(dot + 1));
}

}  // namespace scattergate::digest
