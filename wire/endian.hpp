#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

/// Unaligned little-endian reads and writes. All wire access goes through these.
namespace scattergate::wire {

static_assert(std::endian::native == std::endian::little, "ported to little-endian hosts only");

/// Reads a T at `from`. REQUIRES: sizeof(T) readable bytes.
template <typename T>
[[nodiscard]] inline T load_little(const void* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Writes `value` at `to`. REQUIRES: sizeof(T) writable bytes.
template <typename T>
inline void store_little(void* to, T value) noexcept {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace scattergate::wire
