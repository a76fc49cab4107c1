#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::fuzz {

/// Builds one of a fixed set of requests that reach every branch of a session: to one shard, to
/// all shards, without a reply, exhaust, with cursors, batches, legacy, compressed, unreadable,
/// with unusual opCodes. `which` selects the request; `id` is its requestID.
[[nodiscard]] std::vector<std::byte> request_message(std::uint8_t which, std::int32_t id);

/// Builds one of a fixed set of replies: a success, an error, with a cursor, with moreToCome,
/// legacy, compressed, large. `which` selects the reply. `to`: the request's requestID. `id`:
/// the reply's requestID.
[[nodiscard]] std::vector<std::byte> reply_message(std::uint8_t which, std::int32_t to,
                                                   std::int32_t id);

}  // namespace scattergate::fuzz
