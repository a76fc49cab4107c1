#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "wire/error.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

/// Reads and builds OP_COMPRESSED (specifications: compression/OP_COMPRESSED.md), a message
/// that contains another message with its body compressed. Client and server agree on
/// compressors in the handshake; the sender chooses one for each message.
namespace scattergate::wire {

/// A message's compressorId.
enum class compressor : std::uint8_t {
  none = 0,  ///< "noop": the body isn't compressed
  snappy = 1,
  zlib = 2,
  zstd = 3,
};

/// A compressor's name, as in a hello's field `compression`.
[[nodiscard]] std::string_view name_of(compressor algorithm) noexcept;

/// The compressor with this name; std::nullopt if it is unknown.
[[nodiscard]] std::optional<compressor> compressor_named(std::string_view name) noexcept;

/// A parsed OP_COMPRESSED. A view into the message.
struct op_compressed {
  message_header original;             ///< the header of the decompressed message
  compressor by{};                     ///< the compressor that the sender has used
  std::span<const std::byte> payload;  ///< the compressed body

  /// The size of the decompressed body, as claimed by the message, in bytes.
  [[nodiscard]] std::size_t body_bytes() const noexcept {
    return static_cast<std::size_t>(original.length) - limits::header_bytes;
  }
};

/// Parses a complete OP_COMPRESSED, without decompressing. `max_ratio`: the limit of the
/// claimed size per byte of the payload, for claims above
/// limits::unpack_bytes_without_ratio_check. Errors: short_message; compressed (a nested
/// OP_COMPRESSED); unexpected_opcode (an unknown original opCode); unknown_compressor;
/// bad_compression (the claimed size is negative or larger than a message may be);
/// compression_ratio (the claim exceeds `max_ratio`).
[[nodiscard]] result<op_compressed> parse_op_compressed(
    const message_header& header, std::span<const std::byte> message,
    std::size_t max_ratio = limits::max_compression_ratio) noexcept;

/// The opCode of a message, or of the message in an OP_COMPRESSED. `start`: the part of the
/// message that has arrived; if it is too short, the result is OP_COMPRESSED.
[[nodiscard]] opcode original_opcode(const message_header& header,
                                     std::span<const std::byte> start) noexcept;

/// The size of the decompressed message with its header, as claimed by a complete
/// OP_COMPRESSED, in bytes. 0 if `message` is too short.
[[nodiscard]] std::size_t claimed_bytes(std::span<const std::byte> message) noexcept;

/// The compressed payload of a message. REQUIRES: parse_op_compressed() accepted the message.
[[nodiscard]] std::span<const std::byte> payload_of(
    std::span<const std::byte> message) noexcept;

/// Compresses a complete message; returns a complete OP_COMPRESSED. Throws std::bad_alloc.
/// REQUIRES: `message` isn't an OP_COMPRESSED.
[[nodiscard]] std::vector<std::byte> compress(std::span<const std::byte> message,
                                              compressor algorithm);

/// The kinds of zstd frames (parts of a compressed payload) that the decompressors read (RFC
/// 8878, sections 3.1.1 and 3.1.2).
enum class zstd_frame : std::uint8_t { data, skippable };

/// The kind of the frame at the start of `bytes`, by the frame's magic number; std::nullopt if
/// there is no frame of these kinds. Formats older than zstd 1.0 aren't supported, because the
/// zstd library allocates memory for them.
[[nodiscard]] std::optional<zstd_frame> zstd_frame_at(
    std::span<const std::byte> bytes) noexcept;

/// Decompresses OP_COMPRESSED messages. Reuses the libraries' contexts, so that unpack()
/// doesn't allocate. Thread-safety: one thread at a time.
class decompressor {
 public:
  /// Throws std::bad_alloc.
  decompressor();
  ~decompressor();
  decompressor(const decompressor&) = delete;
  decompressor& operator=(const decompressor&) = delete;

  /// Writes the decompressed message, including its header, to `scratch`. Returns a view of the
  /// message. Accepts the payloads that mongos accepts (mongo:
  /// transport/message_compressor_*.cpp): ignores bytes after the end of a zlib stream, and
  /// reads all frames of a zstd payload. Errors: too_large (`scratch` is smaller than the
  /// claimed size); bad_compression (invalid data, or the decompressed size isn't the claimed
  /// one).
  [[nodiscard]] result<std::span<const std::byte>> unpack(
      const op_compressed& packed, std::span<std::byte> scratch) noexcept;

 private:
  struct contexts;
  [[nodiscard]] bool unpack_body(const op_compressed& packed,
                                 std::span<std::byte> body) noexcept;

  std::unique_ptr<contexts> contexts_;
};

}  // namespace scattergate::wire
