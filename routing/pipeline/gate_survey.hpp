#pragma once

#include "routing/pipeline/match_split.hpp"

namespace scattergate::routing {

/// Examines a $match after stages that are gates. A gate is a stage where one condition of a
/// $match may prevent other conditions from moving before the stage. A $group blocks all
/// conditions if one tests whether the group's key exists (mongo: document_source.cpp,
/// groupMatchSwapVerified). A $project of parts of a document blocks conditions on these parts
/// if another condition reads the whole document.
///
/// For each gate in `passed`, determines which conditions of the $match end up directly after
/// the gate. The gate remembers them, because mongos merges the next $match with them. Call
/// this before match_split examines the $match. Returns true if some patch levels of the
/// version may let the $match pass a gate that blocks it here. REQUIRES: passed.prepare() was
/// called.
bool survey_gates(wire::document_view filter, const path_history& passed,
                  server_version version, scratch& memory) noexcept;

}  // namespace scattergate::routing
