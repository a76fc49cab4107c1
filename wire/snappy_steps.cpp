#include "wire/snappy_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace scattergate::wire {
namespace {

constexpr std::size_t longest_short_literal = 60;

}  // namespace

bool snappy_steps::advance(bytes_view packed, std::span<std::byte> body,
                           std::size_t until) noexcept {
  if (at_ == 0 && !take_size(packed, body.size())) return false;
  const std::size_t stop = std::min(until, body.size());
  while (made_ < stop) {
    std::size_t tag = 0;
    if (!take_number(packed, 1, tag)) return false;
    const bool is_good =
        (tag & 3U) == 0 ? take_literal(tag, packed, body) : take_copy(tag, packed, body);
    if (!is_good) return false;
  }
  return made_ < body.size() || at_ == packed.size();
}

/// The uncompressed size comes first, seven bits per byte.
bool snappy_steps::take_size(bytes_view packed, std::size_t expected) noexcept {
  std::size_t size = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    std::size_t part = 0;
    if (!take_number(packed, 1, part)) return false;
    size |= (part & 0x7fU) << shift;
    if (part < 0x80U) return size == expected;
  }
  return false;
}

bool snappy_steps::take_number(bytes_view packed, std::size_t bytes,
                               std::size_t& number) noexcept {
  if (packed.size() - at_ < bytes) return false;
  std::uint32_t little = 0;
  std::memcpy(&little, packed.data() + at_, bytes);
  at_ += bytes;
  number = little;
  return true;
}

bool snappy_steps::take_literal(std::size_t tag, bytes_view packed,
                                std::span<std::byte> body) noexcept {
  std::size_t size = tag >> 2U;
  if (size >= longest_short_literal &&
      !take_number(packed, size - longest_short_literal + 1, size)) {
    return false;
  }
  ++size;
  if (size > packed.size() - at_ || size > body.size() - made_) return false;
  std::memcpy(body.data() + made_, packed.data() + at_, size);
  at_ += size;
  made_ += size;
  return true;
}

bool snappy_steps::take_copy(std::size_t tag, bytes_view packed,
                             std::span<std::byte> body) noexcept {
  const std::size_t kind = tag & 3U;
  std::size_t offset = 0;
  if (!take_number(packed, kind == 3 ? 4 : kind, offset)) return false;
  std::size_t size = (tag >> 2U) + 1;
  if (kind == 1) {
    size = ((tag >> 2U) & 7U) + 4;
    offset |= (tag >> 5U) << 8U;
  }
  if (offset == 0 || offset > made_ || size > body.size() - made_) return false;
  std::byte* const to = body.data() + made_;
  const std::byte* const from = to - offset;
  if (offset >= size) {
    std::memcpy(to, from, size);
  } else {  // source and target overlap: the copy repeats its own output
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
  }
  made_ += size;
  return true;
}

}  // namespace scattergate::wire
