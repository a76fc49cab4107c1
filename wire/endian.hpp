#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

/// Unaligned little-endian reads and writes. All code that accesses wire data uses these.
namespace scattergate::wire {

static_assert(std::endian::native == std::endian::little, "ported to little-endian hosts only");

/// Reads a T. REQUIRES: sizeof(T) bytes are readable at `from`.
template <typename T>
[[nodiscard]] inline T load_little(const void* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Writes a T. REQUIRES: sizeof(T) bytes are writable at `to`.
template <typename T>
inline void store_little(void* to, T value) noexcept {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace scattergate::wire
