#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::fuzz {

/// One of a fixed set of requests that reach every branch of a session: targeted, scattered,
/// without reply, exhaust, with cursors, batches, legacy, compressed, unreadable, with unusual
/// opcodes. `which` selects the request; `id` is its requestID.
[[nodiscard]] std::vector<std::byte> request_message(std::uint8_t which, std::int32_t id);

/// One of a fixed set of replies: good, failed, with a cursor, more to come, legacy,
/// compressed, large. `which` selects the reply; `to` is the request's id, `id` the reply's
/// own.
[[nodiscard]] std::vector<std::byte> reply_message(std::uint8_t which, std::int32_t to,
                                                   std::int32_t id);

}  // namespace scattergate::fuzz
