#pragma once

#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_split.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// What a stage does to the paths of documents; nothing for one that no `$match` moves before
/// (mongo: StageConstraints::canSwapWithMatch, DocumentSource::getModifiedPaths).
[[nodiscard]] std::optional<stage_effects> effects_of(const field& stage);

/// The parts of a `$group`'s key, "_id.c", where it has named ones.
[[nodiscard]] std::set<std::string> key_parts_of_group(const field& stage);

/// What a `$project` does behind a `$group` with these key parts, which hold no arrays: one of
/// them under another name is a rename (mongo: DocumentSourceGroup::pushDotRenamedMatch).
/// Nothing for another stage.
[[nodiscard]] std::optional<stage_effects> effects_behind_group(
    const field& stage, const std::set<std::string>& key_parts);

}  // namespace scattergate::sim
