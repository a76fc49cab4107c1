#pragma once

#include <algorithm>
#include <cstddef>

namespace scattergate::telemetry {

/// The sizes of the admin server's memory for replies, in bytes. This memory is reserved from
/// limits.memory, so that the page and the API work even if clients use up the rest, and so
/// that slow readers of replies don't take memory from clients.
struct answer_room {
  /// `limits_memory`: the setting limits.memory, in bytes.
  constexpr explicit answer_room(std::size_t limits_memory) noexcept
      : in_all(std::min(limits_memory / 8, std::size_t{64} << 20)),
        each(std::max(in_all / 4, std::size_t{1} << 20)) {}

  /// The reserved part of limits.memory, in bytes: an eighth, but at most 64 MiB.
  std::size_t in_all;
  /// The size limit of one uncompressed reply about query shapes, in bytes: a quarter of
  /// `in_all`, but at least 1 MiB. Making a reply takes up to twice this size, for a growing
  /// string and its compressed copy. Replies that are being sent take at most `each` together.
  std::size_t each;
};

}  // namespace scattergate::telemetry
