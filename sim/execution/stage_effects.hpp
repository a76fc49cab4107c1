#pragma once

#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_split.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A stage's effect on documents' fields; std::nullopt if mongos never moves a `$match` before
/// the stage (mongo: StageConstraints::canSwapWithMatch, DocumentSource::getModifiedPaths).
[[nodiscard]] std::optional<stage_effects> effects_of(const field& stage,
                                                      const targeting_rules& rules);

/// The paths of a `$group`'s key, such as "_id.c", if the key is a document with named parts;
/// otherwise empty.
[[nodiscard]] std::set<std::string> key_parts_of_group(const field& stage);

/// The effect of a `$project` directly after a `$group` with the key parts `key_parts` (see
/// key_parts_of_group()). Assigning a part to another field is a renaming, because the parts
/// don't contain arrays (mongo: DocumentSourceGroup::pushDotRenamedMatch). std::nullopt if the
/// stage isn't a `$project`.
[[nodiscard]] std::optional<stage_effects> effects_behind_group(
    const field& stage, const std::set<std::string>& key_parts, const targeting_rules& rules);

}  // namespace scattergate::sim
