#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// CRC-32C (Castagnoli), which OP_MSG's checksum is: 48 MB take the CPU's own instruction 8 ms,
/// and tables 110.
namespace scattergate::wire {

/// Takes the checksum of what stands before `bytes` (0 where nothing does) and returns that of
/// all of it.
using crc32c_function = std::uint32_t (*)(std::uint32_t before,
                                          std::span<const std::byte> bytes) noexcept;

/// By the CPU's own instruction; null where this CPU, or the one we are built for, has none.
[[nodiscard]] crc32c_function crc32c_of_cpu() noexcept;

/// By tables, anywhere.
[[nodiscard]] std::uint32_t crc32c_by_table(std::uint32_t before,
                                            std::span<const std::byte> bytes) noexcept;

/// How many bytes may be summed in one go, so that nobody else waits for long (20 ms).
[[nodiscard]] std::size_t crc32c_bytes_at_once() noexcept;

/// By the best that there is.
[[nodiscard]] std::uint32_t crc32c(std::uint32_t before,
                                   std::span<const std::byte> bytes) noexcept;

}  // namespace scattergate::wire
