#pragma once

#include <optional>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The path of the field to which an expression's text refers: "a.b" for "$a.b",
/// "$$CURRENT.a.b" and "$$ROOT.a.b". std::nullopt if the text refers to no field of the current
/// document.
[[nodiscard]] std::optional<std::string_view> field_reference(std::string_view text) noexcept;

/// Whether `value` is a document of operators: the name of its first field begins with `$`.
/// False for a literal document, and for a reference to another document ($ref, $id, $db).
[[nodiscard]] bool is_operator_document(const wire::element& value) noexcept;

/// The value at a dotted path in a document. If a component of the path is an array, returns
/// that array (mongo: bson/dotted_path_support.cpp, getFieldDottedOrArray). std::nullopt if the
/// path doesn't exist, a broken element precedes it, or `work` runs out.
[[nodiscard]] std::optional<wire::element> find_path(wire::document_view document,
                                                     std::string_view path,
                                                     wire::work_budget& work) noexcept;

/// Whether two values have equal types and bytes.
[[nodiscard]] bool same_value(const wire::element& left, const wire::element& right) noexcept;

/// The value of a list whose members are all equal, such as [5, 5.0]. std::nullopt if members
/// differ, or if the list is empty or can't be read to its end.
[[nodiscard]] std::optional<wire::element> only_member(wire::document_view members,
                                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
