#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::wire {

/// Builds the command `{hello: 1, $db: "admin"}` as a complete OP_MSG, with its header.
[[nodiscard]] std::vector<std::byte> build_hello(std::int32_t request_id);

}  // namespace scattergate::wire
