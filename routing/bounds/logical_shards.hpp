#pragma once

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether a list, such as that of an $in, has the IDs of one counter's documents. Some
/// applications distribute a counter over documents with the IDs "<id>:0" to "<id>:n". True if
/// the list has at least two members, all of them strings "<id>:<n>" with the same <id>.
[[nodiscard]] bool are_logical_shards(wire::document_view members,
                                      wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
