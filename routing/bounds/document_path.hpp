#pragma once

#include <optional>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The value at a dotted path in a document. If a component of the path is an array, returns
/// that array (mongo: bson/dotted_path_support.cpp, getFieldDottedOrArray). std::nullopt if the
/// path doesn't exist, a broken element precedes it, or `work` runs out.
[[nodiscard]] std::optional<wire::element> find_path(wire::document_view document,
                                                     std::string_view path,
                                                     wire::work_budget& work) noexcept;

/// Whether two values have equal types and bytes.
[[nodiscard]] bool same_value(const wire::element& left, const wire::element& right) noexcept;

}  // namespace scattergate::routing
