#include "wire/zstd_frame.hpp"

#include <zstd.h>

#include "wire/endian.hpp"

namespace scattergate::wire {

std::optional<zstd_frame> zstd_frame_at(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < sizeof(std::uint32_t)) return std::nullopt;
  const auto magic = load_little<std::uint32_t>(bytes.data());
  if (magic == ZSTD_MAGICNUMBER) return zstd_frame::data;
  const bool is_skippable = (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
  return is_skippable ? std::optional{zstd_frame::skippable} : std::nullopt;
}

}  // namespace scattergate::wire
