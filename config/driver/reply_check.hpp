#pragma once

#include <cstddef>
#include <span>

#include "text/problem.hpp"

namespace scattergate::config {

/// Checks whether bytes are one document whose nested documents are valid, at most
/// wire::limits::inspect_depth levels deep. Returns a problem if not. For replies, which a
/// hostile server controls: code that reads them may use recursion.
[[nodiscard]] text::result<void> check_reply(std::span<const std::byte> reply);

}  // namespace scattergate::config
