#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "proxy/memory_budget.hpp"
#include "wire/compressed.hpp"
#include "wire/decompressor.hpp"

namespace scattergate::proxy {

/// Memory out of the budget, given back at its end.
struct budgeted_delete {
  memory_budget* budget = nullptr;
  std::size_t bytes = 0;
  void operator()(const std::byte* block) const noexcept {
    delete[] block;
    budget->give_back(bytes);
  }
};
using budgeted_block = std::unique_ptr<std::byte[], budgeted_delete>;

/// A compressed message, unpacked: valid until its unpacker's next, and its own end.
/// Thread-safety: one thread.
struct unpacked_message {
  wire::message_header header;
  std::span<const std::byte> bytes;  ///< the whole message, header included
  budgeted_block own;                ///< where it is too large for the unpacker's block
};

/// Unpacks a worker's compressed messages for reading: small ones, which most are, into a block
/// that it keeps; larger ones into memory out of the budget. A worker that sees no compression
/// holds nothing.
/// Thread-safety: one thread.
class unpacker {
 public:
  static constexpr std::size_t block_bytes = 64UL * 1024;

  explicit unpacker(memory_budget& budget) noexcept : budget_(budget) {}

  /// Unpacks a whole OP_COMPRESSED. Errors: those of parse_op_compressed and
  /// decompressor::unpack; too_large also where the budget has no room.
  [[nodiscard]] wire::result<unpacked_message> unpack(const wire::message_header& header,
                                                      std::span<const std::byte> message);

 private:
  struct tools {
    wire::decompressor decompressor;
    std::array<std::byte, block_bytes> block;
  };

  [[nodiscard]] budgeted_block take_block(std::size_t bytes);

  memory_budget& budget_;
  std::unique_ptr<tools> tools_;  // from the first message on
};

}  // namespace scattergate::proxy
