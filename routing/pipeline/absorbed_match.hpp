#pragma once

#include "routing/pipeline/path_history.hpp"

namespace scattergate::routing {

/// Whether a $match behind a $lookup and the $unwind of what it found becomes a part of the
/// $lookup: where all that doesn't move before the two says something of what was found, and
/// looks into no array (mongo: document_source_lookup.cpp, doOptimizeAt). `found` is nested
/// below it. REQUIRES: found.prepare().
[[nodiscard]] bool is_absorbed(wire::document_view filter, const wire::element& unwind,
                               const path_history& found, scratch& memory) noexcept;

}  // namespace scattergate::routing
