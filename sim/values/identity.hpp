#pragma once

#include <cstdint>
#include <string_view>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A new ObjectId from the current time, an id of this process, and a counter.
[[nodiscard]] object_id new_object_id();

/// An ObjectId that depends only on `seed`: the beginning of its digest.
[[nodiscard]] object_id object_id_from(std::string_view seed);

/// A UUID (binary subtype 4) that depends only on `seed`.
[[nodiscard]] binary uuid_from(std::string_view seed);

/// Milliseconds since the Unix epoch.
[[nodiscard]] std::int64_t now_millis();

}  // namespace scattergate::sim
