#pragma once

#include <optional>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// A list's value, if all of its members are equal; std::nullopt otherwise.
[[nodiscard]] std::optional<wire::element> only_member(wire::document_view members,
                                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
