#pragma once

#include "telemetry/log/log.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry::log {

/// Appends the attributes of a log line as the member `attr`; appends nothing if `with` is
/// empty. Truncates texts if all attributes together exceed 10 KB (MongoDB's maxLogSizeKB). The
/// members `truncated` and `size` then report each truncated text, as in MongoDB's log.
void append_attributes(text::json_writer& line, attributes with);

}  // namespace scattergate::telemetry::log
