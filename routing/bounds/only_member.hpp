#pragma once

#include <optional>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The value of a list whose members are all equal, such as [5, 5.0]. std::nullopt if members
/// differ, or if the list is empty or can't be read to its end.
[[nodiscard]] std::optional<wire::element> only_member(wire::document_view members,
                                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
