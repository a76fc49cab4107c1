#pragma once

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether the members of a list are the documents of one logically sharded counter: at least
/// two strings "<id>:<n>" that differ only in the number.
[[nodiscard]] bool are_logical_shards(wire::document_view members,
                                      wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
