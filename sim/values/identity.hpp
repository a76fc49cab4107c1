#pragma once

#include <cstdint>
#include <string_view>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A new ObjectId: the current time, this process, a counter.
[[nodiscard]] object_id new_object_id();

/// A reproducible ObjectId, from the digest of `seed`.
[[nodiscard]] object_id object_id_from(std::string_view seed);

/// A reproducible UUID (binary subtype 4).
[[nodiscard]] binary uuid_from(std::string_view seed);

/// Milliseconds since the Unix epoch.
[[nodiscard]] std::int64_t now_millis();

}  // namespace scattergate::sim
