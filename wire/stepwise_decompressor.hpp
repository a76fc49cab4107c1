#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "wire/compressed.hpp"

namespace scattergate::wire {

/// Decompresses one OP_COMPRESSED in steps of about a millisecond, whatever it contains. 48 MB
/// take 0.3 s for ordinary data, and 3 s for zlib made of tables without content.
class stepwise_decompressor {
 public:
  enum class state : std::uint8_t { under_way, done, broken };

  /// Prepares for a body of `body_bytes`, compressed with `by`. Throws std::bad_alloc.
  stepwise_decompressor(compressor by, std::size_t body_bytes);
  ~stepwise_decompressor();
  stepwise_decompressor(const stepwise_decompressor&) = delete;
  stepwise_decompressor& operator=(const stepwise_decompressor&) = delete;

  /// Does one step. Pass the whole `payload` and the whole `body`, of the claimed size, each
  /// time. Accepts what decompressor::unpack() accepts.
  [[nodiscard]] state advance(std::span<const std::byte> payload,
                              std::span<std::byte> body) noexcept;

  /// The cost of the last advance(), in units of about a nanosecond, at most.
  [[nodiscard]] std::uint64_t cost() const noexcept { return cost_; }

  /// The memory needed beside the body, in bytes, at most.
  [[nodiscard]] static std::size_t memory_bytes(compressor by, std::size_t body_bytes) noexcept;

  struct library;

 private:
  std::unique_ptr<library> library_;
  std::uint64_t cost_ = 0;
};

}  // namespace scattergate::wire
