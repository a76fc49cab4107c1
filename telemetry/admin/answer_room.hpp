#pragma once

#include <algorithm>
#include <cstddef>

namespace scattergate::telemetry {

/// The memory for replies of the admin server, in bytes. Reserved from limits.memory, so that
/// the page and the API work even if clients use up the rest, and slow readers don't take
/// memory from clients.
struct answer_room {
  constexpr explicit answer_room(std::size_t limits_memory) noexcept
      : in_all(std::min(limits_memory / 8, std::size_t{64} << 20)),
        each(std::max(in_all / 4, std::size_t{1} << 20)) {}

  /// The reserved part of limits.memory.
  std::size_t in_all;
  /// The size limit of one uncompressed reply about shapes: a quarter of `in_all`. Making a
  /// reply takes up to twice as much, for a growing string and its compressed copy; replies
  /// that are being sent take the rest.
  std::size_t each;
};

}  // namespace scattergate::telemetry
