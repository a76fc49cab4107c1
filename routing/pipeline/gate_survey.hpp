#pragma once

#include "routing/pipeline/match_split.hpp"

namespace scattergate::routing {

/// Tells each gate of `passed` which parts of a $match arrive directly behind it, before any
/// question about the $match. A $group lets nothing pass once a condition there tests whether
/// its key exists (mongo: document_source.cpp, groupMatchSwapVerified); a stage that passes on
/// parts of a document holds them back if a condition also reads the whole document. What stays
/// behind a gate is merged with the next $match, so the gate remembers it. REQUIRES:
/// passed.prepare().
void survey_gates(wire::document_view filter, const path_history& passed,
                  server_version version, scratch& memory) noexcept;

}  // namespace scattergate::routing
