#pragma once

#include "routing/pipeline/path_history.hpp"

namespace scattergate::routing {

/// Whether mongos makes a $match part of the $lookup before it, when `unwind`, a $unwind of the
/// $lookup's result, is between them. It does if every condition either moves before these two
/// stages, or is on the joined documents and doesn't look into arrays (mongo:
/// document_source_lookup.cpp, doOptimizeAt). `found`: the history of the $lookup's own
/// pipeline, nested below the result's path. REQUIRES: found.prepare() was called.
[[nodiscard]] bool is_absorbed(wire::document_view filter, const wire::element& unwind,
                               const path_history& found, scratch& memory) noexcept;

}  // namespace scattergate::routing
