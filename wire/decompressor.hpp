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

  /// Decompresses a message, with its header, into `scratch`, and returns it. Accepts what
  /// mongos accepts (mongo: transport/message_compressor_*.cpp): uncompress() stops at the end
  /// of the stream, ZSTD_decompress() reads frame after frame. Errors: too_large (`scratch` is
  /// smaller than the claimed size); bad_compression (also if the size isn't as claimed).
  [[nodiscard]] result<std::span<const std::byte>> unpack(
      const op_compressed& packed, std::span<std::byte> scratch) noexcept;

 private:
  struct contexts;
  [[nodiscard]] bool unpack_body(const op_compressed& packed,
                                 std::span<std::byte> body) noexcept;

  std::unique_ptr<contexts> contexts_;
};

}  // namespace scattergate::wire
