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

/// OP_COMPRESSED (specifications: compression/OP_COMPRESSED.md): any other message, its body
/// compressed, in a header that keeps its ids. Each side picks a compressor per message.
namespace scattergate::wire {

/// A message's compressorId.
enum class compressor : std::uint8_t {
  none = 0,  ///< "noop": the body as it is
  snappy = 1,
  zlib = 2,
  zstd = 3,
};

/// The name by which hello's `compression` negotiates it; "noop" for none.
[[nodiscard]] std::string_view name_of(compressor by) noexcept;

/// The compressor of that name, or nothing.
[[nodiscard]] std::optional<compressor> compressor_named(std::string_view name) noexcept;

/// A parsed OP_COMPRESSED: a view into the message.
struct op_compressed {
  message_header original;  ///< the header that the unpacked message has
  compressor by{};
  std::span<const std::byte> payload;

  /// What is to come out of the payload.
  [[nodiscard]] std::size_t body_bytes() const noexcept {
    return static_cast<std::size_t>(original.length) - limits::header_bytes;
  }
};

/// Parses a whole OP_COMPRESSED. Its claims are checked, as far as that goes without unpacking.
/// Errors: short_message; compressed (one within another); unexpected_opcode (an opCode that we
/// don't know); unknown_compressor; bad_compression (a size below 0, or
/// above what a message may have); compression_ratio (more than `max_ratio` times the payload,
/// and than limits::unsuspicious_bytes).
[[nodiscard]] result<op_compressed> parse_op_compressed(
    const message_header& header, std::span<const std::byte> message,
    std::size_t max_ratio = limits::max_compression_ratio) noexcept;

/// What a whole OP_COMPRESSED claims to be unpacked, in bytes; 0 where it is too short to claim
/// anything.
[[nodiscard]] std::size_t claimed_bytes(std::span<const std::byte> message) noexcept;

/// What is packed in it. REQUIRES: it passed parse_op_compressed.
[[nodiscard]] std::span<const std::byte> payload_of(
    std::span<const std::byte> message) noexcept;

/// Packs a whole message. REQUIRES: it isn't an OP_COMPRESSED. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::byte> compress(std::span<const std::byte> message,
                                              compressor by);

}  // namespace scattergate::wire
