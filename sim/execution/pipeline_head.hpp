#pragma once

#include <span>

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The conditions of the `$match` at the head of the pipeline, once mongos has moved such
/// stages forward, before it targets (mongo: Pipeline::optimizeContainer,
/// DocumentSource::pushMatchBefore). REQUIRES: `stages` have passed check_stages.
[[nodiscard]] filter_node head_of(const array& stages, const filter_terms& terms);

/// The conditions of all leading `$match` stages: what shards filter by.
[[nodiscard]] document leading_filter(const array& stages);

/// Whether the pipeline has only filters, sorts and limits, as a find does.
[[nodiscard]] bool is_like_find(const array& stages);

}  // namespace scattergate::sim
