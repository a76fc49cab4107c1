#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "telemetry/shapes/live_digest.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry {

/// Formats the reply of /api/v1/shapes: the digest (a row per query shape) in the JSON format
/// of the report (docs/report.md), with additional members that only a daemon has. Rows with
/// rejected or throttled commands come first, then the most expensive. Rows beyond `max_bytes`
/// of text are omitted; the member `shapesLeftOut` counts them. A shape first seen at `since`
/// or later is marked `new`.
[[nodiscard]] std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                                      std::size_t max_bytes);

/// Formats the reply of /api/v1/shapes/HASH: the rows with this hash. Returns an empty text if
/// there are none. `since`: see shapes_json().
[[nodiscard]] std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                                     digest::wall_time since);

/// Appends two members to an event: `shapes` lists at most `most` of the rows that had commands
/// since `since`, in the order of shapes_json(); `shapesLeftOut` is the number of omitted rows.
/// Also includes rows whose last command came up to 3 s before `since`, because counts arrive
/// from workers with a delay.
void append_changed_shapes(text::json_writer& to, const live_digest::view& all,
                           digest::wall_time since, std::size_t most);

}  // namespace scattergate::telemetry
