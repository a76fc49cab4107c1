#pragma once

#include <bit>
#include <cstddef>
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

/// Searches eight bytes at once for a NUL. Returns 0 if the little-endian word has none;
/// otherwise, the lowest set bit is the highest bit of the first NUL byte.
[[nodiscard]] constexpr std::uint64_t nul_marks(std::uint64_t word) noexcept {
  return (word - 0x0101'0101'0101'0101U) & ~word & 0x8080'8080'8080'8080U;
}

/// The number of bytes before the first NUL. `marks`: what nul_marks() returned; REQUIRES: not
/// 0.
[[nodiscard]] constexpr std::size_t bytes_before_nul(std::uint64_t marks) noexcept {
  return static_cast<std::size_t>(std::countr_zero(marks)) / 8;
}

}  // namespace scattergate::wire
