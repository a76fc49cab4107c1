#pragma once

#include "routing/pipeline/path_history.hpp"

namespace scattergate::routing {

/// Whether mongos moves a $match with this filter into the pipeline of a preceding $lookup. The
/// stage between both is `unwind`, a $unwind of the $lookup's result. True if each condition
/// moves before the two stages, or is on the joined documents and doesn't look into arrays
/// (mongo: document_source_lookup.cpp, doOptimizeAt). `found`: the stages of the $lookup's own
/// pipeline; path_history::nest_below() must have been called with the $lookup's `as`, then
/// prepare().
[[nodiscard]] bool is_absorbed(wire::document_view filter, const wire::element& unwind,
                               const path_history& found, scratch& memory) noexcept;

}  // namespace scattergate::routing
