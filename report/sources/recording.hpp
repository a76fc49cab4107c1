#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Whether bytes begin a traffic recording. Pass the first 1,024 bytes, or all if there are
/// fewer.
[[nodiscard]] bool is_recording(std::string_view begins) noexcept;

/// Reads a traffic recording, a file written by MongoDB's command startTrafficRecording
/// (startRecordingTraffic before 8.1). A record has one of two forms (mongo:
/// db/traffic_recorder.cpp; replay/README.md):
///
///     size, connection, local and remote address, milliseconds since 1970, order, message
///     size, kind of event, connection, addresses, offset in microseconds, order, message
///
/// Passes the commands to `to`. Calls `on_progress` regularly, and stops if it returns false.
/// Returns why reading ended.
[[nodiscard]] read_end read_recording(input& from, observer& to,
                                      const std::function<bool(const input&)>& on_progress);

}  // namespace scattergate::report
