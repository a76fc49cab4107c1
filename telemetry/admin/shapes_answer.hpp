#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "telemetry/shapes/live_digest.hpp"

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

/// The rows that had commands since `since`, as an event tells them: an array of at most
/// `most`, in the same order.
struct changed_shapes {
  std::string json;
  std::size_t left_out = 0;
};
[[nodiscard]] changed_shapes changed_shapes_json(const live_digest::view& all,
                                                 digest::wall_time since, std::size_t most);

}  // namespace scattergate::telemetry
