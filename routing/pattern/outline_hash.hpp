#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// Hashes a command without its values, to find the routing::pattern that its message matches.
/// Messages that match one pattern have the same hash, except if they differ in a document that
/// the pattern ignores. `sections`: the sections of an OP_MSG, beginning with the body. Returns
/// 0 if the body can't be read. The hash is keyed per process.
///
/// Hashes the names and types of at most 64 fields. These are the fields of the body, of the
/// first document in a document sequence directly after the body, and of the documents and
/// arrays directly in both. Documents and arrays in an inserted document are left out.
[[nodiscard]] std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept;

}  // namespace scattergate::routing
