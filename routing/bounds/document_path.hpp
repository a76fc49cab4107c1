#pragma once

#include <optional>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The value at a dotted path of a document. An array on the way is itself what is found, so
/// that the caller sees it (mongo: bson/dotted_path_support.cpp, getFieldDottedOrArray).
/// Nothing where there is none, or a broken element comes before it, or `work` doesn't go as
/// far.
[[nodiscard]] std::optional<wire::element> find_path(wire::document_view document,
                                                     std::string_view path,
                                                     wire::work_budget& work) noexcept;

/// Whether two values are of one type and the same bytes.
[[nodiscard]] bool same_value(const wire::element& left, const wire::element& right) noexcept;

}  // namespace scattergate::routing
