#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::wire {

/// Builds `{hello: 1, $db: "admin"}` as a whole OP_MSG.
[[nodiscard]] std::vector<std::byte> build_hello(std::int32_t request_id);

}  // namespace scattergate::wire
