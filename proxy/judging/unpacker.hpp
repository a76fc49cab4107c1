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

/// Memory out of a connection's share, given back at its end.
struct budgeted_delete {
  telemetry::memory_share* share = nullptr;
  std::size_t bytes = 0;
  void operator()(const std::byte* block) const noexcept {
    delete[] block;
    share->give_back(bytes);
  }
};
using budgeted_block = std::unique_ptr<std::byte[], budgeted_delete>;

/// A compressed message, unpacked: valid until its unpacker's next, and its own end.
struct unpacked_message {
  wire::message_header header;
  std::span<const std::byte> bytes;  ///< the whole message, header included
  budgeted_block own;                ///< where it is too large for the unpacker's block
};

/// A large message on the way of being unpacked, in pieces of about ten milliseconds, as there
/// may be hundreds of them to do.
/// Thread-safety: one thread at a time.
class gradual_unpacking final : public long_work {
 public:
  /// `room` is for the whole message, and what else is taken out of the budget for it.
  /// `message` stays where it is until it is unpacked.
  gradual_unpacking(std::span<const std::byte> message, const wire::op_compressed& packed,
                    budgeted_block room);

  [[nodiscard]] bool advance(judging_memory& memory) noexcept override;
  [[nodiscard]] bool is_over() const noexcept {
    return at_ != wire::stepwise_decompressor::state::under_way;
  }

  /// What came out, for as long as this lives. Errors: bad_compression. REQUIRES: it is over.
  [[nodiscard]] wire::result<unpacked_message> unpacked() const;

 private:
  std::span<const std::byte> message_;
  wire::message_header original_;
  budgeted_block room_;
  wire::stepwise_decompressor steps_;
  wire::stepwise_decompressor::state at_ = wire::stepwise_decompressor::state::under_way;
};

/// Unpacks a worker's compressed messages for reading: small ones, which most are, into a block
/// that it keeps; larger ones into memory out of their connection's share, and large ones
/// gradually. A worker that sees no compression holds nothing.
class unpacker {
 public:
  static constexpr std::size_t block_bytes = 64UL * 1024;

  /// What is unpacked in one go, at most, in bytes: some 3 ms.
  static constexpr std::size_t bytes_at_once = 512UL * 1024;
  /// Packed bytes cost more: tables for a few bytes each.
  static constexpr std::size_t packed_bytes_at_once = 64UL * 1024;

  /// Begins with a whole OP_COMPRESSED that is too large for one go; null where it isn't, can't
  /// be unpacked or there is no room for it, which unpack() says. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin(const wire::message_header& header,
                                                         std::span<const std::byte> message,
                                                         telemetry::memory_share& share);

  /// Unpacks a whole OP_COMPRESSED. Errors: those of parse_op_compressed and
  /// decompressor::unpack; too_large also where the share has no room, and for one go.
  [[nodiscard]] wire::result<unpacked_message> unpack(const wire::message_header& header,
                                                      std::span<const std::byte> message,
                                                      telemetry::memory_share& share);

 private:
  struct tools {
    wire::decompressor decompressor;
    std::array<std::byte, block_bytes> block;
  };

  std::unique_ptr<tools> tools_;  // from the first message on
};

}  // namespace scattergate::proxy
