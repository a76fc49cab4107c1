#pragma once

#include <span>

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// What stands in a `$match` at the head of the pipeline once mongos has moved such stages
/// forward, before it looks for the shards to ask (mongo: Pipeline::optimizeContainer,
/// DocumentSource::pushMatchBefore). `stages` have passed check_stages.
[[nodiscard]] filter_node head_of(const array& stages, const filter_terms& terms);

/// The conditions of all the `$match` that the pipeline begins with: what shards filter by.
[[nodiscard]] document leading_filter(const array& stages);

/// Whether the pipeline is nothing but filters, sorts and limits, as a find would be.
[[nodiscard]] bool is_like_find(const array& stages);

}  // namespace scattergate::sim
