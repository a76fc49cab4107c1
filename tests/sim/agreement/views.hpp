#pragma once

#include "sim/values/value.hpp"

/// Reads of views, for tests. A test's command has the view's pipeline in an extra field
/// `view`, which isn't sent to a server.
namespace scattergate::sim {

/// The name of the extra field: the pipeline of the view that the command reads.
inline constexpr const char* view_field = "view";
/// The view's name.
inline constexpr const char* view_name = "v";

/// The command as a client sends it: reads the view "v", and lacks the extra field `view`. A
/// command without that field stays unchanged.
[[nodiscard]] document as_sent(document command);

/// The aggregate on the collection "c" that mongos runs for a read of the view (mongo:
/// query_request_helper.cpp, asAggregationCommand; aggregation_request_helper.h). A command
/// without the extra field `view` stays unchanged.
[[nodiscard]] document resolved(const document& command);

}  // namespace scattergate::sim
