#pragma once

#include "routing/pipeline/match_split.hpp"

namespace scattergate::routing {

/// Tells each gate of `passed` what of a $match comes to stand directly behind it, before
/// anything is asked of the $match: a $group lets nothing pass once it is asked there whether
/// its key exists (mongo: document_source.cpp, groupMatchSwapVerified), and a stage that hands
/// on parts of a document holds them back from who reads the document too. What stays behind a
/// gate is merged with the next $match that comes, so the gate remembers.
/// REQUIRES: passed.prepare().
void survey_gates(wire::document_view filter, const path_history& passed,
                  server_version version, scratch& memory) noexcept;

}  // namespace scattergate::routing
