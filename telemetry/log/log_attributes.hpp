#pragma once

#include "telemetry/log/log.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry::log {

/// A log line's member `attr`; nothing where there are none. Texts beyond
/// 10 KB (MongoDB's maxLogSizeKB) are cut, which `truncated` and `size` then tell, as MongoDB's
/// own log does.
void append_attributes(text::json_writer& line, attributes with);

}  // namespace scattergate::telemetry::log
