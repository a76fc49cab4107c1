#pragma once

#include "telemetry/log/log.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry::log {

/// Appends a log line's member `attr`, if there are attributes. Texts beyond 10 KB (MongoDB's
/// maxLogSizeKB) are cut; `truncated` and `size` report it, as in MongoDB's log.
void append_attributes(text::json_writer& line, attributes with);

}  // namespace scattergate::telemetry::log
