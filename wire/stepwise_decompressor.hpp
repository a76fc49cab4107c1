#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "wire/compressed.hpp"

namespace scattergate::wire {

/// Decompresses one OP_COMPRESSED in steps of about a millisecond, because one call could take
/// too long for an event loop: 48 MB take 0.3 s for ordinary data, and 3 s for malicious zlib
/// data (decoding tables, but hardly any content). Thread-safety: one thread at a time.
class stepwise_decompressor {
 public:
  /// The progress after a step. `broken`: the payload is invalid, or its decompressed size
  /// isn't the claimed one.
  enum class state : std::uint8_t { under_way, done, broken };

  /// Prepares to decompress a body of `body_bytes`. Throws std::bad_alloc.
  stepwise_decompressor(compressor algorithm, std::size_t body_bytes);
  ~stepwise_decompressor();
  stepwise_decompressor(const stepwise_decompressor&) = delete;
  stepwise_decompressor& operator=(const stepwise_decompressor&) = delete;

  /// Does one step. In each call, pass the complete compressed payload as `payload`, and the
  /// complete output buffer, of the claimed size, as `body`. Accepts the same payloads as
  /// decompressor::unpack().
  [[nodiscard]] state advance(std::span<const std::byte> payload,
                              std::span<std::byte> body) noexcept;

  /// An upper bound of the last step's cost, in units of about a nanosecond.
  [[nodiscard]] std::uint64_t cost() const noexcept { return cost_; }

  /// An upper bound of the memory needed besides the body, in bytes.
  [[nodiscard]] static std::size_t memory_bytes(compressor algorithm,
                                                std::size_t body_bytes) noexcept;

  struct library;  ///< a compression library's state; defined in the .cpp

 private:
  std::unique_ptr<library> library_;
  std::uint64_t cost_ = 0;
};

}  // namespace scattergate::wire
