#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "proxy/judging/long_work.hpp"
#include "telemetry/memory_budget.hpp"
#include "wire/compressed.hpp"
#include "wire/decompressor.hpp"
#include "wire/stepwise_decompressor.hpp"

namespace scattergate::proxy {

/// Deletes a block and returns its bytes to the connection's memory share.
struct budgeted_delete {
  telemetry::memory_share* share = nullptr;
  std::size_t bytes = 0;
  void operator()(const std::byte* block) const noexcept {
    delete[] block;
    share->release(bytes);
  }
};
using budgeted_block = std::unique_ptr<std::byte[], budgeted_delete>;

/// A decompressed message. Valid until the unpacker's next call, or during the lifetime of the
/// gradual_unpacking that returned it.
struct unpacked_message {
  wire::message_header header;
  std::span<const std::byte> bytes;  ///< the whole message, including a header
  budgeted_block own;                ///< the block that contains `bytes`, if the unpacker's own
                                     ///< block is too small; otherwise null
};

/// Decompresses a large message in pieces of about 10 ms. Thread-safety: one thread at a time.
class gradual_unpacking final : public long_work {
 public:
  /// `message`: the OP_COMPRESSED; it must stay in place until is_over(). `packed`: its
  /// contents. `room`: a block for the whole decompressed message.
  gradual_unpacking(std::span<const std::byte> message, const wire::op_compressed& packed,
                    budgeted_block room);

  [[nodiscard]] bool advance(judging_memory& memory) noexcept override;
  /// Whether decompression has completed or failed.
  [[nodiscard]] bool is_over() const noexcept {
    return at_ != wire::stepwise_decompressor::state::under_way;
  }

  /// The decompressed message, valid during this object's lifetime. Errors: bad_compression.
  /// REQUIRES: is_over().
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
  /// The size of the reused block.
  static constexpr std::size_t block_bytes = 64UL * 1024;

  /// The maximum decompressed size, in bytes, of a message that is decompressed in one call.
  /// That takes about 3 ms.
  static constexpr std::size_t bytes_at_once = 512UL * 1024;
  /// The maximum compressed size, in bytes, of a message that is decompressed in one call. It
  /// is lower, because a compressed byte may cost more: a few bytes may contain decoding
  /// tables.
  static constexpr std::size_t packed_bytes_at_once = 64UL * 1024;

  /// Prepares decompressing a complete OP_COMPRESSED in pieces. Null if it is small enough for
  /// one call, or can't be decompressed; then call unpack(), which returns the reason. Throws
  /// std::bad_alloc.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin(const wire::message_header& header,
                                                         std::span<const std::byte> message,
                                                         telemetry::memory_share& share);

  /// Decompresses a complete OP_COMPRESSED in one call. Errors: those of parse_op_compressed
  /// and decompressor::unpack; also too_large if the message is too large for one call, or the
  /// share has no memory left.
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
