#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/bson.hpp"

/// The replies of a server in a mongos's place, good and absurd.
namespace scattergate::fuzz {

/// A mongos's reply to a request: of a cluster in which d.c is sharded on {k: 1}, below 10 on
/// the shard "a" and from there on "b", and v is a view on it. A login is answered with a salt
/// and, then, a signature that is wrong. {ok: 1} if there is nothing else to say.
[[nodiscard]] wire::document_view good_reply(std::span<const std::byte> request);

/// The handshake alone.
[[nodiscard]] wire::document_view good_hello();

/// A copy of a document with some values replaced by absurd ones: NaN, negative counts, 2^63,
/// texts with escape sequences, nesting without need, fields that are missing or come twice.
/// `choices` are pairs: the number of a value, counted from 0 as they come, those in nested
/// documents too, and which absurd value replaces it.
[[nodiscard]] std::vector<std::byte> made_absurd(wire::document_view document,
                                                 std::span<const std::byte> choices);

}  // namespace scattergate::fuzz
