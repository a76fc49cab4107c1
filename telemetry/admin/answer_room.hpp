#pragma once

#include <algorithm>
#include <cstddef>

namespace scattergate::telemetry {

/// The memory that answers at the admin address may take, in bytes. They have a part of
/// limits.memory to themselves, so that the page and the API answer while clients fill the
/// rest, and so that whoever reads answers takes nothing from clients.
struct answer_room {
  constexpr explicit answer_room(std::size_t limits_memory) noexcept
      : in_all(std::min(limits_memory / 8, std::size_t{64} << 20)),
        each(std::max(in_all / 4, std::size_t{1} << 20)) {}

  /// The part of limits.memory.
  std::size_t in_all;
  /// The text of one answer about shapes, before it is compressed. So much may also be on its
  /// way to slow readers while another answer is made: a string that grows, and its compressed
  /// copy, take the other half of the part.
  std::size_t each;
};

}  // namespace scattergate::telemetry
