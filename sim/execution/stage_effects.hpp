#pragma once

#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_split.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A stage's effect on document paths; std::nullopt if no `$match` moves before it (mongo:
/// StageConstraints::canSwapWithMatch, DocumentSource::getModifiedPaths).
[[nodiscard]] std::optional<stage_effects> effects_of(const field& stage,
                                                      const targeting_rules& rules);

/// The parts of a `$group`'s key, such as "_id.c", if they have names.
[[nodiscard]] std::set<std::string> key_parts_of_group(const field& stage);

/// A `$project`'s effect after a `$group` with these key parts, which contain no arrays:
/// assigning one to another name is a rename (mongo: DocumentSourceGroup::pushDotRenamedMatch).
/// std::nullopt for any other stage.
[[nodiscard]] std::optional<stage_effects> effects_behind_group(
    const field& stage, const std::set<std::string>& key_parts, const targeting_rules& rules);

}  // namespace scattergate::sim
