#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "telemetry/history/history.hpp"
#include "telemetry/history/shape_history.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// The answer of /api/v1/history (docs/openapi.yaml): at most history::max_bytes of
/// collections, where the least busy count as the rest if necessary, and at most
/// shape_history::max_bytes of shapes, where they are omitted. REQUIRES: both are at the same
/// minute.
[[nodiscard]] std::string history_json(const history& of, const shape_history& shapes,
                                       history::wall_time now);

/// The collections' history as stored in the state file after the digest: lines with their own
/// checksum, at most history::max_bytes.
[[nodiscard]] std::string stored_history(const history& of);

/// The beginning of a stored history.
inline constexpr std::string_view stored_history_begins = R"({"type":"scattergate.history",)";

/// Adds a stored history to `to`. If it is invalid, nothing is added.
[[nodiscard]] text::result<void> read_stored_history(std::string_view text, history& to);

}  // namespace scattergate::telemetry
