#pragma once

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether the members are the logical shards of one thing: strings "<id>:<n>" that differ in
/// nothing but the number, at least two of them.
[[nodiscard]] bool are_logical_shards(wire::document_view members,
                                      wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
