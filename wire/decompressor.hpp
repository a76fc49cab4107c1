#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "wire/compressed.hpp"
#include "wire/error.hpp"

namespace scattergate::wire {

/// Decompresses OP_COMPRESSED. Creates the libraries' contexts once and reuses them; unpack()
/// doesn't allocate.
class decompressor {
 public:
  /// Throws std::bad_alloc.
  decompressor();
  ~decompressor();
  decompressor(const decompressor&) = delete;
  decompressor& operator=(const decompressor&) = delete;

  /// Decompresses into `scratch`: the original message, header and body, fills the first
  /// original.length bytes. The body must have exactly the claimed size. Accepts what mongos's
  /// calls accept (mongo: transport/message_compressor_*.cpp): uncompress() stops at the end of
  /// the stream, ZSTD_decompress() reads frame after frame. Errors: too_large (the scratch is
  /// smaller than the claim); bad_compression.
  [[nodiscard]] result<std::span<const std::byte>> unpack(
      const op_compressed& packed, std::span<std::byte> scratch) noexcept;

 private:
  struct contexts;
  [[nodiscard]] bool unpack_body(const op_compressed& packed,
                                 std::span<std::byte> body) noexcept;

  std::unique_ptr<contexts> contexts_;
};

}  // namespace scattergate::wire
