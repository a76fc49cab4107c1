#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "telemetry/shapes/live_digest.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry {

/// Formats the reply of /api/v1/shapes: the digest as the report's JSON (docs/report.md), with
/// members that only a daemon has. Rows with refused commands come first, then the most
/// expensive; rows beyond `max_bytes` are omitted and counted in `shapesLeftOut`. A shape first
/// seen at `since` or later is `new`.
[[nodiscard]] std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                                      std::size_t max_bytes);

/// Formats the reply of /api/v1/shapes for the rows with one hash; empty if there are none.
[[nodiscard]] std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                                     digest::wall_time since);

/// Appends to an event the rows with commands since `since`: the member `shapes` with at most
/// `most` of them, in the order of shapes_json(), and `shapesLeftOut`.
void append_changed_shapes(text::json_writer& to, const live_digest::view& all,
                           digest::wall_time since, std::size_t most);

}  // namespace scattergate::telemetry
