#pragma once

#include <cstddef>
#include <span>

namespace scattergate::wire {

/// Decompresses one snappy payload in steps (google/snappy: format_description.txt). The snappy
/// library can decompress only in a single call, which takes about 100 ms for 48 MB.
/// Thread-safety: one thread at a time.
class snappy_steps {
 public:
  /// Does one step: continues until about `until` bytes have been decompressed in total, or
  /// until the end. In each call, pass all compressed bytes as `packed`, and the whole output
  /// buffer as `body`. Returns false if `packed` is invalid or doesn't decompress to exactly
  /// body.size() bytes.
  [[nodiscard]] bool advance(std::span<const std::byte> packed, std::span<std::byte> body,
                             std::size_t until) noexcept;

  /// The number of bytes decompressed so far.
  [[nodiscard]] std::size_t made() const noexcept { return made_; }
  /// The number of compressed bytes read so far.
  [[nodiscard]] std::size_t taken() const noexcept { return at_; }

 private:
  using bytes_view = std::span<const std::byte>;
  [[nodiscard]] bool take_size(bytes_view packed, std::size_t expected) noexcept;
  [[nodiscard]] bool take_number(bytes_view packed, std::size_t bytes,
                                 std::size_t& number) noexcept;
  [[nodiscard]] bool take_literal(std::size_t tag, bytes_view packed,
                                  std::span<std::byte> body) noexcept;
  [[nodiscard]] bool take_copy(std::size_t tag, bytes_view packed,
                               std::span<std::byte> body) noexcept;

  std::size_t at_ = 0;
  std::size_t made_ = 0;
};

}  // namespace scattergate::wire
