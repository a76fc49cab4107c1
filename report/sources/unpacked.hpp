#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace scattergate::report {

/// A compressed stream's content. Several gzip members or zstd frames, one behind the other,
/// are one stream, as the tools that write logs make them.
class unpacked {
 public:
  /// Fills as much as there is; 0 at the end.
  using reader = std::function<std::size_t(std::span<char>)>;

  /// By the stream's first bytes (four of them tell); null where it isn't compressed.
  [[nodiscard]] static std::unique_ptr<unpacked> of(std::string_view begins, reader from);

  virtual ~unpacked() = default;

  /// Fills as much of `room` as there is; 0 at the end, or where is_spoilt().
  [[nodiscard]] virtual std::size_t read(std::span<char> room) = 0;

  /// Whether it ended too early, or holds what can't be unpacked.
  [[nodiscard]] virtual bool is_spoilt() const noexcept = 0;
};

}  // namespace scattergate::report
