#pragma once

#include "routing/pipeline/path_history.hpp"

namespace scattergate::routing {

/// Whether mongos makes a $match part of the preceding $lookup and $unwind of its result: all
/// conditions that don't move before these two must be on the joined documents, and not look
/// into arrays (mongo: document_source_lookup.cpp, doOptimizeAt). `found`: nested below the
/// result's path. REQUIRES: found.prepare().
[[nodiscard]] bool is_absorbed(wire::document_view filter, const wire::element& unwind,
                               const path_history& found, scratch& memory) noexcept;

}  // namespace scattergate::routing
