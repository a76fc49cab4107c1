#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/bson.hpp"

/// Good and absurd replies, for a server that takes the place of a mongos.
namespace scattergate::fuzz {

/// The reply of a mongos to a request. In the simulated cluster, d.c is sharded by {k: 1},
/// with k < 10 on the shard "a" and the rest on "b", and v is a view on d.c. Authentication
/// gets a salt, then a wrong signature. Requests that need no special reply get {ok: 1}.
[[nodiscard]] wire::document_view good_reply(std::span<const std::byte> request);

/// The reply to the handshake (hello).
[[nodiscard]] wire::document_view good_hello();

/// A copy of a document with some values replaced by absurd ones: NaN, negative counts, 2^63,
/// texts with escape sequences, deep nesting, missing or duplicate fields. `choices` has pairs
/// of bytes: the number of a value, from 0 in the document's order including nested documents,
/// and the number of the absurd value.
[[nodiscard]] std::vector<std::byte> made_absurd(wire::document_view document,
                                                 std::span<const std::byte> choices);

}  // namespace scattergate::fuzz
