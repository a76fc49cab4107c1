#pragma once

#include <algorithm>
#include <cstddef>

namespace scattergate::telemetry {

/// The memory that answers at the admin address may take, in bytes. It is reserved from
/// limits.memory, so that the page and the API work when clients use up the rest, and slow
/// readers take nothing from clients.
struct answer_room {
  constexpr explicit answer_room(std::size_t limits_memory) noexcept
      : in_all(std::min(limits_memory / 8, std::size_t{64} << 20)),
        each(std::max(in_all / 4, std::size_t{1} << 20)) {}

  /// The reserved part of limits.memory.
  std::size_t in_all;
  /// The size limit of one uncompressed answer about shapes. Answers being sent to slow readers
  /// may take as much again while another answer is made; a growing string and its compressed
  /// copy take the other half.
  std::size_t each;
};

}  // namespace scattergate::telemetry
