#pragma once

#include "routing/pipeline/match_split.hpp"

namespace scattergate::routing {

/// Determines, for each gate among the stages of `passed`, which conditions of a $match arrive
/// directly after it. Call it before other questions about the $match. A gate is a stage where
/// one condition may block others: a $group blocks all once a condition tests whether its key
/// exists (mongo: document_source.cpp, groupMatchSwapVerified); a stage that passes on parts of
/// a document blocks conditions on these if another one reads the whole document. Gates
/// remember conditions that stay, because the next $match is merged with them. REQUIRES:
/// passed.prepare().
void survey_gates(wire::document_view filter, const path_history& passed,
                  server_version version, scratch& memory) noexcept;

}  // namespace scattergate::routing
