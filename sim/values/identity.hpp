#pragma once

#include <cstdint>
#include <string_view>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A new ObjectId from the current time, an id of this process, and a counter.
[[nodiscard]] object_id new_object_id();

/// An ObjectId that depends only on `seed`: the first bytes of the seed's hash.
[[nodiscard]] object_id object_id_from(std::string_view seed);

/// A UUID (binary subtype 4) that depends only on `seed`.
[[nodiscard]] binary uuid_from(std::string_view seed);

/// The current time in milliseconds since 1970.
[[nodiscard]] std::int64_t now_millis();

}  // namespace scattergate::sim
