#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace scattergate::wire {

/// Formats a BSON document as relaxed Extended JSON, for people to read. Returns "(unreadable)"
/// if libbson can't read the document. Allocates.
[[nodiscard]] std::string relaxed_json_of(std::span<const std::byte> document);

}  // namespace scattergate::wire
