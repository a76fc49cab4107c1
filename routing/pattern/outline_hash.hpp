#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// Hashes the outline of a command: the names and types of its fields, of the fields of its
/// documents, and of its first batched document; values don't count. Messages of one
/// routing::pattern have the same outline, unless a document that the pattern ignores differs.
/// `sections` are an OP_MSG's, beginning with the body; anything else has some hash, too.
/// Reads at most 64 fields. Means nothing in another process.
[[nodiscard]] std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept;

}  // namespace scattergate::routing
