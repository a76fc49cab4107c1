#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/bson.hpp"

/// Correct and absurd replies, for a test server in place of a mongos.
namespace scattergate::fuzz {

/// The reply to a request as a mongos could send it. In its cluster, d.c is sharded by {k: 1},
/// with k < 10 on the shard "a" and the rest on "b", and v is a view on d.c. Authentication
/// gets a salt, then a wrong signature. Requests without a special reply get {ok: 1}.
[[nodiscard]] wire::document_view good_reply(std::span<const std::byte> request);

/// The reply to the handshake (hello).
[[nodiscard]] wire::document_view good_hello();

/// A copy of a document with some values replaced by absurd ones: NaN, negative counts, 2^63,
/// texts with escape sequences, deep nesting, missing or duplicate fields. `choices` has pairs
/// of bytes. The first byte numbers the value to replace, from 0 on, in the document's order
/// and including nested documents. The second byte numbers the absurd value.
[[nodiscard]] std::vector<std::byte> made_absurd(wire::document_view document,
                                                 std::span<const std::byte> choices);

}  // namespace scattergate::fuzz
