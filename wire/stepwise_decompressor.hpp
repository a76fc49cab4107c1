#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "wire/compressed.hpp"

namespace scattergate::wire {

/// Unpacks one OP_COMPRESSED piece by piece, each of about a millisecond, whatever it is made
/// of: 48 MB take honest ones 0.3 s, and zlib tables without content 3 s.
class stepwise_decompressor {
 public:
  enum class state : std::uint8_t { under_way, done, broken };

  /// For a body of `body_bytes`, packed by `by`. Throws std::bad_alloc.
  stepwise_decompressor(compressor by, std::size_t body_bytes);
  ~stepwise_decompressor();
  stepwise_decompressor(const stepwise_decompressor&) = delete;
  stepwise_decompressor& operator=(const stepwise_decompressor&) = delete;

  /// Unpacks on. `payload` and `body`, which has the size that was claimed, are all of it each
  /// time. Accepts what decompressor::unpack() accepts.
  [[nodiscard]] state advance(std::span<const std::byte> payload,
                              std::span<std::byte> body) noexcept;

  /// What the last advance() took, in units of about a nanosecond, at most.
  [[nodiscard]] std::uint64_t cost() const noexcept { return cost_; }

  /// How much memory it takes beside a body of `body_bytes`, at most, in bytes.
  [[nodiscard]] static std::size_t memory_bytes(compressor by, std::size_t body_bytes) noexcept;

  struct library;

 private:
  std::unique_ptr<library> library_;
  std::uint64_t cost_ = 0;
};

}  // namespace scattergate::wire
