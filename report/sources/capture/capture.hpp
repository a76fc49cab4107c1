#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Whether bytes begin a pcap or pcapng file.
[[nodiscard]] bool is_capture(std::string_view begins) noexcept;

/// Reads packets captured between clients and a mongos (or mongod), and passes their commands
/// to `to`, with times and errors. Reassembles both directions and decompresses messages. `to`
/// counts gaps and TLS connections as skipped. Calls `on_progress` regularly, and stops if it
/// returns false. Returns why reading ended, and which share of the bytes is missing.
[[nodiscard]] read_end read_capture(input& from, observer& to,
                                    const std::function<bool(const input&)>& on_progress);

}  // namespace scattergate::report
