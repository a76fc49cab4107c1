#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::fuzz {

/// A request of a small choice that leads to every branch: targeted, scattered, without reply,
/// exhaust, cursors, batches, legacy, compressed, unreadable, of every odd opCode.
[[nodiscard]] std::vector<std::byte> request_message(std::uint8_t which, std::int32_t id);

/// A reply of the given kind: good, failed, with a cursor, more to come, legacy, compressed,
/// large.
[[nodiscard]] std::vector<std::byte> reply_message(std::uint8_t which, std::int32_t to,
                                                   std::int32_t id);

}  // namespace scattergate::fuzz
