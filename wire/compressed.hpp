#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "wire/error.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

/// OP_COMPRESSED (specifications: compression/OP_COMPRESSED.md): wraps any other message, its
/// body compressed, in a header that keeps its ids. Each side picks a compressor per message.
namespace scattergate::wire {

/// A message's compressorId.
enum class compressor : std::uint8_t {
  none = 0,  ///< "noop": the body uncompressed
  snappy = 1,
  zlib = 2,
  zstd = 3,
};

/// The compressor's name in hello's `compression`; "noop" for none.
[[nodiscard]] std::string_view name_of(compressor by) noexcept;

/// The compressor of that name; std::nullopt if unknown.
[[nodiscard]] std::optional<compressor> compressor_named(std::string_view name) noexcept;

/// A parsed OP_COMPRESSED: a view into the message.
struct op_compressed {
  message_header original;  ///< the header of the decompressed message
  compressor by{};
  std::span<const std::byte> payload;

  /// The claimed size of the decompressed body, in bytes.
  [[nodiscard]] std::size_t body_bytes() const noexcept {
    return static_cast<std::size_t>(original.length) - limits::header_bytes;
  }
};

/// Parses a whole OP_COMPRESSED and checks its claims, as far as possible without
/// decompressing. Errors: short_message; compressed (nested OP_COMPRESSED); unexpected_opcode
/// (an unknown opCode); unknown_compressor; bad_compression (a size below 0, or above a
/// message's limit); compression_ratio (more than `max_ratio` times the payload, and more than
/// limits::unsuspicious_bytes).
[[nodiscard]] result<op_compressed> parse_op_compressed(
    const message_header& header, std::span<const std::byte> message,
    std::size_t max_ratio = limits::max_compression_ratio) noexcept;

/// The size that a whole OP_COMPRESSED claims for its decompressed message, in bytes; 0 if the
/// message is too short to hold a claim.
[[nodiscard]] std::size_t claimed_bytes(std::span<const std::byte> message) noexcept;

/// The compressed payload. REQUIRES: `message` passed parse_op_compressed.
[[nodiscard]] std::span<const std::byte> payload_of(
    std::span<const std::byte> message) noexcept;

/// Compresses a whole message. REQUIRES: it isn't an OP_COMPRESSED. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::byte> compress(std::span<const std::byte> message,
                                              compressor by);

}  // namespace scattergate::wire
