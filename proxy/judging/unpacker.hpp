#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "proxy/judging/long_work.hpp"
#include "telemetry/memory_budget.hpp"
#include "wire/compressed.hpp"
#include "wire/stepwise_decompressor.hpp"

namespace scattergate::proxy {

/// Deletes a block and gives its bytes back to the connection's memory share (the connection's
/// part of limits.memory).
struct budgeted_delete {
  telemetry::memory_share* share = nullptr;  ///< the share to which the block is charged
  std::size_t bytes = 0;                     ///< the number of charged bytes
  void operator()(const std::byte* block) const noexcept {
    delete[] block;
    share->release(bytes);
  }
};
/// A block whose bytes are charged to a connection's memory share.
using budgeted_block = std::unique_ptr<std::byte[], budgeted_delete>;

/// A decompressed message. If `own` isn't null, `bytes` is valid during this object's lifetime.
/// Otherwise `bytes` is valid until the next call of the unpacker that returned it, or during
/// the lifetime of the gradual_unpacking that returned it.
struct unpacked_message {
  wire::message_header header;       ///< the header of the decompressed message
  std::span<const std::byte> bytes;  ///< the whole message, including a header
  budgeted_block own;                ///< the block that contains `bytes`; null if the unpacker
                                     ///< or a gradual_unpacking owns the bytes
};

/// Decompresses a large message in pieces of about 10 ms. Thread-safety: one thread at a time.
class gradual_unpacking final : public long_work {
 public:
  /// `message`: the OP_COMPRESSED; its bytes must stay in place until is_over(). `packed`: the
  /// parsed `message`. `room`: a block for the whole decompressed message.
  gradual_unpacking(std::span<const std::byte> message, const wire::op_compressed& packed,
                    budgeted_block room);

  [[nodiscard]] bool advance(judging_memory& memory) noexcept override;
  /// Whether decompression has completed or failed.
  [[nodiscard]] bool is_over() const noexcept {
    return at_ != wire::stepwise_decompressor::state::under_way;
  }

  /// The decompressed message, valid during this object's lifetime. Returns the error
  /// bad_compression if decompression has failed. REQUIRES: is_over().
  [[nodiscard]] wire::result<unpacked_message> unpacked() const;

 private:
  std::span<const std::byte> message_;
  wire::message_header original_;
  budgeted_block room_;
  wire::stepwise_decompressor steps_;
  wire::stepwise_decompressor::state at_ = wire::stepwise_decompressor::state::under_way;
};

/// Decompresses a worker's messages: small ones into a reused block, larger ones into memory
/// charged to their connection's memory share, and the largest in pieces on another thread.
/// Allocates nothing until the first compressed message. Thread-safety: the worker's thread.
class unpacker {
 public:
  /// The size of the reused block, in bytes.
  static constexpr std::size_t block_bytes = 64UL * 1024;

  /// The maximum decompressed size, in bytes, of a message that is decompressed in one call.
  /// Such a call takes about 3 ms.
  static constexpr std::size_t bytes_at_once = 512UL * 1024;
  /// The maximum compressed size, in bytes, of a message that is decompressed in one call.
  /// Smaller than bytes_at_once, because a compressed byte may cost more than a decompressed
  /// one: a few bytes may contain decoding tables.
  static constexpr std::size_t packed_bytes_at_once = 64UL * 1024;

  /// Prepares to decompress a complete OP_COMPRESSED in pieces, into memory charged to `share`.
  /// Returns null if the message is small enough for one call, or can't be decompressed. Then
  /// call unpack(), which returns the decompressed message or the error. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin(const wire::message_header& header,
                                                         std::span<const std::byte> message,
                                                         telemetry::memory_share& share);

  /// Decompresses a complete OP_COMPRESSED in one call. Errors: those of parse_op_compressed()
  /// and decompressor::unpack(); too_large if the message is too large for one call, or if
  /// `share` has no memory left.
  [[nodiscard]] wire::result<unpacked_message> unpack(const wire::message_header& header,
                                                      std::span<const std::byte> message,
                                                      telemetry::memory_share& share);

 private:
  struct tools {
    wire::decompressor decompressor;
    std::array<std::byte, block_bytes> block;
  };

  std::unique_ptr<tools> tools_;  // allocated for the first message
};

}  // namespace scattergate::proxy
