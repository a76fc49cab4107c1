#pragma once

#include "sim/values/value.hpp"

/// Reads of views. A command's pipeline of the view stands in its field `view`, which no server
/// knows.
namespace scattergate::sim {

/// The field with the pipeline of the view that the command reads.
inline constexpr const char* view_field = "view";
/// The view's name.
inline constexpr const char* view_name = "v";

/// The command as a client sends it: on the view, without `view`.
[[nodiscard]] document as_sent(document command);

/// The aggregate on the collection that mongos runs for a read of a view (mongo: db/pipeline/
/// aggregation_request_helper.h, query/query_request_helper.cpp, asAggregationCommand); a
/// command without `view` as it is.
[[nodiscard]] document resolved(const document& command);

}  // namespace scattergate::sim
