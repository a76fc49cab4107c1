#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "wire/compressed.hpp"
#include "wire/error.hpp"

namespace scattergate::wire {

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
