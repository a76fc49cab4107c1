#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// CRC-32C (Castagnoli), OP_MSG's checksum. For 48 MB the CPU's own instruction takes 8 ms,
/// tables take 110 ms.
namespace scattergate::wire {

/// Continues a checksum: `before` is the checksum of the bytes before `bytes` (0 at the start).
/// Returns the checksum of all of them.
using crc32c_function = std::uint32_t (*)(std::uint32_t before,
                                          std::span<const std::byte> bytes) noexcept;

/// The implementation with the CPU's own instruction; null if this CPU or the build's target
/// has none.
[[nodiscard]] crc32c_function crc32c_of_cpu() noexcept;

/// The implementation with tables, for any CPU.
[[nodiscard]] std::uint32_t crc32c_by_table(std::uint32_t before,
                                            std::span<const std::byte> bytes) noexcept;

/// How many bytes may be summed in one go without blocking other connections for long (20 ms).
[[nodiscard]] std::size_t crc32c_bytes_at_once() noexcept;

/// Continues a checksum with the fastest implementation available.
[[nodiscard]] std::uint32_t crc32c(std::uint32_t before,
                                   std::span<const std::byte> bytes) noexcept;

}  // namespace scattergate::wire
