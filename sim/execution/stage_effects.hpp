#pragma once

#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_split.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// How a pipeline stage changes the fields of documents. std::nullopt if mongos never moves a
/// `$match` before a stage of this kind (mongo: StageConstraints::canSwapWithMatch,
/// DocumentSource::getModifiedPaths).
[[nodiscard]] std::optional<stage_effects> effects_of(const field& stage,
                                                      const targeting_rules& rules);

/// The paths of the parts of a `$group`'s key: {"_id.a"} for `{$group: {_id: {a: "$x"}}}`.
/// Empty if the key isn't a document with named parts.
[[nodiscard]] std::set<std::string> key_parts_of_group(const field& stage);

/// The effect of a `$project` directly after a `$group`. `key_parts`: the result of
/// key_parts_of_group() for the `$group`. For `{$project: {m: "$_id.a"}}`, the effect includes
/// that `_id.a` gets the new name `m`. A condition on `m` has the same result on `_id.a`,
/// because the key is a document and not an array (mongo:
/// DocumentSourceGroup::pushDotRenamedMatch). std::nullopt if the stage isn't a `$project`, or
/// is one that excludes fields.
[[nodiscard]] std::optional<stage_effects> effects_behind_group(
    const field& stage, const std::set<std::string>& key_parts, const targeting_rules& rules);

}  // namespace scattergate::sim
