#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace scattergate::report {

/// Decompresses a stream of gzip or zstd. Reads consecutive gzip members or zstd frames, which
/// log tools write, as one stream.
class unpacked {
 public:
  /// Reads available compressed bytes into the span and returns their number; 0 at the end.
  using reader = std::function<std::size_t(std::span<char>)>;

  /// Creates a decompressor for a stream; null if the stream isn't compressed. `begins`: the
  /// stream's first four bytes, which show the method. `from`: reads the stream from its
  /// beginning.
  [[nodiscard]] static std::unique_ptr<unpacked> of(std::string_view begins, reader from);

  virtual ~unpacked() = default;

  /// Reads available decompressed bytes into `room` and returns their number; 0 at the end, or
  /// if is_corrupt().
  [[nodiscard]] virtual std::size_t read(std::span<char> room) = 0;

  /// Whether the stream is truncated or invalid.
  [[nodiscard]] virtual bool is_corrupt() const noexcept = 0;
};

}  // namespace scattergate::report
