#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "telemetry/shapes/live_digest.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry {

/// Formats the reply of /api/v1/shapes: the digest in the JSON format of the report
/// (docs/report.md), with additional members that only a daemon has. Rows with refused commands
/// come first, then the most expensive. Rows beyond `max_bytes` are omitted; `shapesLeftOut`
/// counts them. A shape first seen at `since` or later is marked `new`.
[[nodiscard]] std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                                      std::size_t max_bytes);

/// Formats the reply of /api/v1/shapes/HASH: the rows with this hash. Empty if there are none.
/// `since`: as for shapes_json().
[[nodiscard]] std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                                     digest::wall_time since);

/// Appends two members to an event: `shapes`, which lists at most `most` of the rows that had
/// commands since `since`, in the order of shapes_json(); and `shapesLeftOut`, the number of
/// omitted rows.
void append_changed_shapes(text::json_writer& to, const live_digest::view& all,
                           digest::wall_time since, std::size_t most);

}  // namespace scattergate::telemetry
