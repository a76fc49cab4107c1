#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Unaligned little-endian reads and writes. All code that accesses wire data uses these
/// functions.
namespace scattergate::wire {

static_assert(std::endian::native == std::endian::little, "ported to little-endian hosts only");

/// Reads a little-endian T. REQUIRES: sizeof(T) bytes are readable at `from`.
template <typename T>
[[nodiscard]] inline T load_little(const void* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Writes a little-endian T. REQUIRES: sizeof(T) bytes are writable at `to`.
template <typename T>
inline void store_little(void* to, T value) noexcept {
  std::memcpy(to, &value, sizeof value);
}

/// Searches eight bytes, loaded by load_little(), for a NUL. Returns 0 if there is none.
/// Otherwise, the result's lowest set bit is the highest bit of the first NUL byte; see
/// bytes_before_nul().
[[nodiscard]] constexpr std::uint64_t nul_marks(std::uint64_t word) noexcept {
  return (word - 0x0101'0101'0101'0101U) & ~word & 0x8080'8080'8080'8080U;
}

/// The number of bytes before the first NUL of eight bytes. `marks`: the result of nul_marks().
/// REQUIRES: `marks` isn't 0.
[[nodiscard]] constexpr std::size_t bytes_before_nul(std::uint64_t marks) noexcept {
  return static_cast<std::size_t>(std::countr_zero(marks)) / 8;
}

}  // namespace scattergate::wire
