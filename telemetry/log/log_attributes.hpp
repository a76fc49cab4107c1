#pragma once

#include "telemetry/log/log.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry::log {

/// Appends a log line's member `attr`, if there are attributes. Truncates texts to 10 KB
/// (MongoDB's maxLogSizeKB) and reports that in `truncated` and `size`, as in MongoDB's log.
void append_attributes(text::json_writer& line, attributes with);

}  // namespace scattergate::telemetry::log
