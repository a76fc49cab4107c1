#pragma once

#include <span>

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The filter at the head of the pipeline after mongos has moved `$match` stages forward;
/// mongos targets the pipeline by it (mongo: Pipeline::optimizeContainer,
/// DocumentSource::pushMatchBefore). REQUIRES: check_stages(stages) succeeded.
[[nodiscard]] filter_node head_of(const array& stages, const filter_terms& terms);

/// The conjunction of all leading `$match` stages, which the shards apply.
[[nodiscard]] document leading_filter(const array& stages);

/// Whether the pipeline consists only of filters, sorts and limits, so that a find could
/// replace it.
[[nodiscard]] bool is_like_find(const array& stages);

}  // namespace scattergate::sim
