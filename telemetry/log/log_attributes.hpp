#pragma once

#include "telemetry/log/log.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry::log {

/// Appends a log line's member `attr`; appends nothing if `with` is empty. Truncates texts if
/// all attributes together exceed 10 KB (MongoDB's maxLogSizeKB), and reports each truncated
/// text in `truncated` and `size`, as MongoDB's log does.
void append_attributes(text::json_writer& line, attributes with);

}  // namespace scattergate::telemetry::log
