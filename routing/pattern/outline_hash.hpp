#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// Hashes the outline of a command: the names and types, not the values, of its fields, of
/// those in its documents, and of those in its first batched document. Messages with the same
/// routing::pattern have the same hash, unless they differ in a document that the pattern
/// ignores. `sections`: an OP_MSG's, beginning with the body; may be invalid. Reads at most 64
/// fields. Valid within this process only.
[[nodiscard]] std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept;

}  // namespace scattergate::routing
