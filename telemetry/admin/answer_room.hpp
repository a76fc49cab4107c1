#pragma once

#include <algorithm>
#include <cstddef>

namespace scattergate::telemetry {

/// How much memory the admin server may use for replies, in bytes. This memory is reserved from
/// limits.memory. Therefore the page and the API work even if clients use up the rest, and slow
/// readers of replies don't take memory from clients.
struct answer_room {
  /// `limits_memory`: the setting limits.memory, in bytes.
  constexpr explicit answer_room(std::size_t limits_memory) noexcept
      : in_all(std::min(limits_memory / 8, std::size_t{64} << 20)),
        each(std::max(in_all / 4, std::size_t{1} << 20)) {}

  /// The reserved part of limits.memory, in bytes: an eighth, but at most 64 MiB.
  std::size_t in_all;
  /// The size limit of one uncompressed reply about query shapes, in bytes: a quarter of
  /// `in_all`, but at least 1 MiB. Making a reply takes up to twice this size (a growing
  /// string, and its compressed copy). The replies being sent at any one time also take at most
  /// about this size in total.
  std::size_t each;
};

}  // namespace scattergate::telemetry
