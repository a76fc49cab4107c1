#pragma once

#include <optional>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The only member of a list, if it has exactly one distinct value.
[[nodiscard]] std::optional<wire::element> only_member(wire::document_view members,
                                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
