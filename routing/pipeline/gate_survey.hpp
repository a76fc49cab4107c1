#pragma once

#include "routing/pipeline/match_split.hpp"

namespace scattergate::routing {

/// For each gate (see below) among the stages of `passed`, determines which conditions of a
/// $match end up directly after the gate. The gate remembers these conditions, because mongos
/// merges the next $match with them. Call this before other functions that examine the $match.
/// Returns whether the version's patch level determines if a gate that is closed now lets the
/// $match pass. REQUIRES: passed.prepare() was called.
///
/// A gate is a stage where one condition of a $match may prevent other conditions from moving
/// before the stage. A $group blocks all conditions if one tests whether the group's key exists
/// (mongo: document_source.cpp, groupMatchSwapVerified). A stage that passes on parts of a
/// document blocks conditions on these parts if another condition reads the whole document.
bool survey_gates(wire::document_view filter, const path_history& passed,
                  server_version version, scratch& memory) noexcept;

}  // namespace scattergate::routing
