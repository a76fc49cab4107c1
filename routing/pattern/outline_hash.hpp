#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// Hashes the outline of a command: the names and types of fields, without values. Includes the
/// fields of the body and of the first document in the first document sequence, and the fields
/// directly in their documents and arrays (not in those of an inserted document). Reads at most
/// 64 fields. Messages that match one routing::pattern have the same hash, except if they
/// differ in a document that the pattern ignores. `sections`: the sections of an OP_MSG,
/// beginning with the body; the result is 0 if the body can't be read. The hash is keyed per
/// process.
[[nodiscard]] std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept;

}  // namespace scattergate::routing
