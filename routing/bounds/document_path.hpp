#pragma once

#include <optional>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The value at a dotted path of a document. Stops at an array on the way and returns it, so
/// that the caller sees it (mongo: bson/dotted_path_support.cpp, getFieldDottedOrArray).
/// std::nullopt if there is none, a broken element precedes it, or `work` runs out.
[[nodiscard]] std::optional<wire::element> find_path(wire::document_view document,
                                                     std::string_view path,
                                                     wire::work_budget& work) noexcept;

/// Whether two values have the same type and the same bytes.
[[nodiscard]] bool same_value(const wire::element& left, const wire::element& right) noexcept;

}  // namespace scattergate::routing
