#include "wire/crc32c.hpp"

#include <boost/crc.hpp>

#include "wire/endian.hpp"
#include "wire/limits.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && !defined(__clang__)  // clang 14 needs -march for the instruction
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace scattergate::wire {
namespace {

constexpr std::uint32_t polynomial = 0x1EDC6F41;
using castagnoli = boost::crc_optimal<32, polynomial, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

/// Reverses the order of the bits. Boost's remainder has the opposite order.
std::uint32_t turned(std::uint32_t bits) noexcept {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i, bits >>= 1U) result = result << 1U | (bits & 1U);
  return result;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_sse42(
    std::uint32_t before, std::span<const std::byte> bytes) noexcept {
  std::uint64_t state = ~before;
  constexpr std::size_t word = sizeof state;
  for (; bytes.size() >= word; bytes = bytes.subspan(word)) {
    state = _mm_crc32_u64(state, load_little<std::uint64_t>(bytes.data()));
  }
  auto rest = static_cast<std::uint32_t>(state);
  for (const std::byte each : bytes) {
    rest = _mm_crc32_u8(rest, std::to_integer<unsigned char>(each));
  }
  return ~rest;
}
#elif defined(__aarch64__) && !defined(__clang__)
__attribute__((target("+crc"))) std::uint32_t by_armv8(
    std::uint32_t before, std::span<const std::byte> bytes) noexcept {
  std::uint32_t state = ~before;
  constexpr std::size_t word = sizeof(std::uint64_t);
  for (; bytes.size() >= word; bytes = bytes.subspan(word)) {
    state = __crc32cd(state, load_little<std::uint64_t>(bytes.data()));
  }
  for (const std::byte each : bytes) {
    state = __crc32cb(state, std::to_integer<std::uint8_t>(each));
  }
  return ~state;
}
#endif

}  // namespace

crc32c_function crc32c_of_cpu() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") != 0) return by_sse42;
#elif defined(__aarch64__) && !defined(__clang__)
  if ((getauxval(AT_HWCAP) & HWCAP_CRC32) != 0) return by_armv8;
#endif
  return nullptr;
}

std::uint32_t crc32c_by_table(std::uint32_t before, std::span<const std::byte> bytes) noexcept {
  castagnoli crc{turned(~before)};
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::size_t crc32c_bytes_at_once() noexcept {
  constexpr std::size_t by_table = 8UL << 20U;
  return crc32c_of_cpu() != nullptr ? limits::max_message_bytes : by_table;
}

std::uint32_t crc32c(std::uint32_t before, std::span<const std::byte> bytes) noexcept {
  static const crc32c_function best =
      crc32c_of_cpu() != nullptr ? crc32c_of_cpu() : crc32c_by_table;
  return best(before, bytes);
}

}  // namespace scattergate::wire
