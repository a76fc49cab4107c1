#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "telemetry/history/history.hpp"
#include "telemetry/history/shape_history.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// What /api/v1/history answers (docs/openapi.yaml): at most history::max_bytes of collections,
/// where the least busy count among the others if that isn't enough, and at most
/// shape_history::max_bytes of shapes, where they are left out. REQUIRES: both are in the same
/// minute.
[[nodiscard]] std::string history_json(const history& of, const shape_history& shapes,
                                       history::wall_time now);

/// The history as it stands in the state file behind the digest: collections, with lines and a
/// checksum of its own, and at most history::max_bytes.
[[nodiscard]] std::string stored_history(const history& of);

/// How it begins there.
inline constexpr std::string_view stored_history_begins = R"({"type":"scattergate.history",)";

/// Adds to `to` what a text that begins so tells. Of one that can't be used nothing is added.
[[nodiscard]] text::result<void> read_stored_history(std::string_view text, history& to);

}  // namespace scattergate::telemetry
