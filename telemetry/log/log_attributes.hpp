#pragma once

#include <string>

#include "telemetry/log/log.hpp"

namespace scattergate::telemetry::log {

/// Appends a log line's `attr`, its comma included; nothing where there are none. Texts beyond
/// 10 KB (MongoDB's maxLogSizeKB) are cut, which `truncated` and `size` then tell, as MongoDB's
/// own log does.
void append_attributes(std::string& line, attributes with);

}  // namespace scattergate::telemetry::log
