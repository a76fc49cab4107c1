#pragma once

#include <string_view>

namespace scattergate::sim {

/// Whether a difference, "8.0 wider: find {k0: {$in: []}}", is one whose reason is known.
[[nodiscard]] bool is_explained(std::string_view difference);

}  // namespace scattergate::sim
