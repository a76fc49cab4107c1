#pragma once

#include <cstdint>
#include <string_view>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A new ObjectId: the time now, this process, a counter.
[[nodiscard]] object_id new_object_id();

/// An ObjectId that is the same in every run: made of the digest of `seed`.
[[nodiscard]] object_id object_id_from(std::string_view seed);

/// A UUID (binary subtype 4) that is the same in every run.
[[nodiscard]] binary uuid_from(std::string_view seed);

/// Milliseconds since the Unix epoch.
[[nodiscard]] std::int64_t now_millis();

}  // namespace scattergate::sim
