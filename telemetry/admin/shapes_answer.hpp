#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "telemetry/shapes/live_digest.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry {

/// What /api/v1/shapes answers: the digest as the report's JSON (docs/report.md) with what the
/// daemon knows besides, at most so many bytes of it: rows with refused commands first, then
/// the dearest. What is left out is counted, as `shapesLeftOut`. A shape is `new` that was seen
/// first at `since` or later.
[[nodiscard]] std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                                      std::size_t max_bytes);

/// The same of the rows of one hash; empty where there are none.
[[nodiscard]] std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                                     digest::wall_time since);

/// The rows that had commands since `since`, as an event tells them: the member `shapes`, at
/// most `most` in the same order, and `shapesLeftOut`.
void append_changed_shapes(text::json_writer& to, const live_digest::view& all,
                           digest::wall_time since, std::size_t most);

}  // namespace scattergate::telemetry
