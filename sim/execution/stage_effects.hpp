#pragma once

#include <optional>

#include "sim/targeting/filter_split.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// What a stage does to the paths of documents; nothing for one that no `$match` moves before
/// (mongo: StageConstraints::canSwapWithMatch, DocumentSource::getModifiedPaths).
[[nodiscard]] std::optional<stage_effects> effects_of(const field& stage);

}  // namespace scattergate::sim
