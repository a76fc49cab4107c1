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

/// Frees memory charged to a connection's share.
struct budgeted_delete {
  telemetry::memory_share* share = nullptr;
  std::size_t bytes = 0;
  void operator()(const std::byte* block) const noexcept {
    delete[] block;
    share->give_back(bytes);
  }
};
using budgeted_block = std::unique_ptr<std::byte[], budgeted_delete>;

/// An unpacked message: valid until its unpacker's next call, and for its own lifetime.
struct unpacked_message {
  wire::message_header header;
  std::span<const std::byte> bytes;  ///< the whole message, header included
  budgeted_block own;                ///< set if it is too large for the unpacker's block
};

/// A large message being unpacked, in pieces of about ten milliseconds, because there may be
/// hundreds. Thread-safety: one thread at a time.
class gradual_unpacking final : public long_work {
 public:
  /// `room` holds the whole message and the other memory charged for it. `message` must stay in
  /// place until it is unpacked.
  gradual_unpacking(std::span<const std::byte> message, const wire::op_compressed& packed,
                    budgeted_block room);

  [[nodiscard]] bool advance(judging_memory& memory) noexcept override;
  [[nodiscard]] bool is_over() const noexcept {
    return at_ != wire::stepwise_decompressor::state::under_way;
  }

  /// The unpacked message, valid for this object's lifetime. Errors: bad_compression. REQUIRES:
  /// it has completed.
  [[nodiscard]] wire::result<unpacked_message> unpacked() const;

 private:
  std::span<const std::byte> message_;
  wire::message_header original_;
  budgeted_block room_;
  wire::stepwise_decompressor steps_;
  wire::stepwise_decompressor::state at_ = wire::stepwise_decompressor::state::under_way;
};

/// Unpacks a worker's compressed messages: small ones, which most are, into a block that it
/// keeps; larger ones into memory charged to their connection's share, the largest gradually.
/// Without compression it holds no memory.
class unpacker {
 public:
  static constexpr std::size_t block_bytes = 64UL * 1024;

  /// The largest message that is unpacked in one go, in bytes: some 3 ms.
  static constexpr std::size_t bytes_at_once = 512UL * 1024;
  /// Packed bytes cost more: a few bytes may hold decoding tables.
  static constexpr std::size_t packed_bytes_at_once = 64UL * 1024;

  /// Starts unpacking a complete OP_COMPRESSED that is too large for one go. Null if it isn't,
  /// can't be unpacked or there is no memory; then unpack() reports why. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin(const wire::message_header& header,
                                                         std::span<const std::byte> message,
                                                         telemetry::memory_share& share);

  /// Unpacks a complete OP_COMPRESSED. Errors: those of parse_op_compressed and
  /// decompressor::unpack; too_large also if the share has no memory left or it is too large
  /// for one go.
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
