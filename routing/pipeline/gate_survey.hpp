#pragma once

#include "routing/pipeline/match_split.hpp"

namespace scattergate::routing {

/// For each gate among the stages of `passed`, determines which conditions of a $match come to
/// stand directly after the gate. The gates remember these conditions if they stay, because
/// mongos merges the next $match with them. Call this before other questions about the $match.
/// REQUIRES: passed.prepare() was called.
///
/// A gate is a stage at which one condition may prevent others from moving further. A $group
/// blocks all conditions if one tests whether the group's key exists (mongo:
/// document_source.cpp, groupMatchSwapVerified). A stage that passes on parts of a document
/// blocks conditions on these parts if another condition reads the whole document.
void survey_gates(wire::document_view filter, const path_history& passed,
                  server_version version, scratch& memory) noexcept;

}  // namespace scattergate::routing
