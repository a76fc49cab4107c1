#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// Hashes the outline of a command: names and types, but not values, of the fields in its body,
/// in the body's documents and in the first document of its first document sequence. Reads at
/// most 64 fields. Messages that match one routing::pattern have the same hash, unless they
/// differ in a document that the pattern ignores. `sections`: those of an OP_MSG, beginning
/// with the body; may be invalid. The hash is keyed per process.
[[nodiscard]] std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept;

}  // namespace scattergate::routing
