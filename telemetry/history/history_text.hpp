#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "telemetry/history/history.hpp"
#include "telemetry/history/shape_history.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Formats the reply of /api/v1/history (docs/openapi.yaml). The collections take at most
/// history::max_bytes of text; the least busy ones that don't fit are added to `others`. The
/// query shapes take at most shape_history::max_bytes of text; the least busy ones that don't
/// fit are omitted. REQUIRES: both histories are at the same minute.
[[nodiscard]] std::string history_json(const history& of, const shape_history& shapes,
                                       history::wall_time now);

/// Formats the history for the state file: lines of JSON, the last with a checksum; at most
/// history::max_bytes. The least busy collections that don't fit are added to the line of all
/// others.
[[nodiscard]] std::string stored_history(const history& of);

/// Formats the last line of a stored history: a checksum of `lines`, all lines before it, to
/// detect truncation and corruption.
[[nodiscard]] std::string history_end(std::string_view lines);

/// The text with which a stored history begins, for recognising it.
inline constexpr std::string_view stored_history_begins = R"({"type":"scattergate.history",)";

/// Parses a stored history and merges it into `to`. If the text is invalid, returns a problem
/// and leaves `to` unchanged.
[[nodiscard]] text::result<void> read_stored_history(std::string_view text, history& to);

}  // namespace scattergate::telemetry
