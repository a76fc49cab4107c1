#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "telemetry/history/history.hpp"

namespace scattergate::telemetry {

/// What /api/v1/history answers (docs/openapi.yaml), at most history::max_bytes of it: where
/// that isn't enough, the least busy collections count among the others.
[[nodiscard]] std::string history_json(const history& of, history::wall_time now);

/// The history as it stands in the state file behind the digest, and has lines and a checksum
/// of its own; likewise bounded.
[[nodiscard]] std::string stored_history(const history& of);

/// How it begins there.
inline constexpr std::string_view stored_history_begins = R"({"type":"scattergate.history",)";

/// Adds to `to` what a text that begins so tells. Why it can't be used, in one line; then
/// nothing is added.
[[nodiscard]] std::string read_stored_history(std::string_view text, history& to);

}  // namespace scattergate::telemetry
