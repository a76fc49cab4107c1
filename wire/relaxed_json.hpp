#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace scattergate::wire {

/// The document as relaxed Extended JSON, for messages to people; "(unreadable)" if libbson
/// can't write it. Allocates.
[[nodiscard]] std::string relaxed_json_of(std::span<const std::byte> document);

}  // namespace scattergate::wire
