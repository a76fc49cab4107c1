#pragma once

#include "routing/pipeline/path_history.hpp"

namespace scattergate::routing {

/// Whether a $match after a $lookup and the $unwind of its result becomes part of the $lookup:
/// everything in it that doesn't move before the two must refer to the joined documents and not
/// look into arrays (mongo: document_source_lookup.cpp, doOptimizeAt). `found` is nested below
/// the path of the result. REQUIRES: found.prepare().
[[nodiscard]] bool is_absorbed(wire::document_view filter, const wire::element& unwind,
                               const path_history& found, scratch& memory) noexcept;

}  // namespace scattergate::routing
