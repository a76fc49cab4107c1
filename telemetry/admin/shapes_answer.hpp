#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "telemetry/shapes/live_digest.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry {

/// Formats the reply of /api/v1/shapes: the digest (a row per query shape) in the JSON format
/// of the report (docs/report.md), with additional members that only a daemon has. Rows with
/// rejected or throttled commands come first, then the rows with the highest cost. Omits rows
/// beyond `max_bytes` of text; the member `shapesLeftOut` counts them. Marks a shape as `new`
/// if it was first seen at `since` or later.
[[nodiscard]] std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                                      std::size_t max_bytes);

/// Formats the reply of /api/v1/shapes/HASH: all rows of the digest (the table of query shapes)
/// with this hash. Returns an empty text if there are none. Marks a shape as `new` if it was
/// first seen at `since` or later.
[[nodiscard]] std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                                     digest::wall_time since);

/// Appends two members to an event of /api/v1/events. `shapes` lists the rows that had commands
/// since `since`, at most `most`; rows with rejected or throttled commands come first, then the
/// rows with the highest cost. `shapesLeftOut` is the number of omitted rows. Also includes
/// rows whose last command came up to 3 s before `since`, because workers report counts with a
/// delay.
void append_changed_shapes(text::json_writer& to, const live_digest::view& all,
                           digest::wall_time since, std::size_t most);

}  // namespace scattergate::telemetry
