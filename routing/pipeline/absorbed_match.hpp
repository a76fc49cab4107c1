#pragma once

#include "routing/pipeline/path_history.hpp"

namespace scattergate::routing {

/// Whether mongos makes a $match part of the $lookup before it. `unwind`: the stage between
/// them, a $unwind of the $lookup's result. True if every condition either moves before the
/// two stages, or is on the joined documents and doesn't look into arrays (mongo:
/// document_source_lookup.cpp, doOptimizeAt). `found`: the history of the $lookup's own
/// pipeline, nested below the $lookup's `as` (path_history::nest_below()). REQUIRES:
/// found.prepare() was called.
[[nodiscard]] bool is_absorbed(wire::document_view filter, const wire::element& unwind,
                               const path_history& found, scratch& memory) noexcept;

}  // namespace scattergate::routing
