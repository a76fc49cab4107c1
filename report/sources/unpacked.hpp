#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace scattergate::report {

/// Decompresses a stream. Several consecutive gzip members or zstd frames are one stream, as
/// log tools write them.
class unpacked {
 public:
  /// Reads available bytes; 0 at the end.
  using reader = std::function<std::size_t(std::span<char>)>;

  /// Detects the method by the first four bytes; null if the stream isn't compressed.
  [[nodiscard]] static std::unique_ptr<unpacked> of(std::string_view begins, reader from);

  virtual ~unpacked() = default;

  /// Reads available bytes into `room`; 0 at the end, or if is_corrupt().
  [[nodiscard]] virtual std::size_t read(std::span<char> room) = 0;

  /// Whether the stream is truncated or invalid.
  [[nodiscard]] virtual bool is_corrupt() const noexcept = 0;
};

}  // namespace scattergate::report
