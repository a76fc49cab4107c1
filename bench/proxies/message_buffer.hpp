#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "wire/header.hpp"

namespace scattergate::bench {

/// Splits the bytes received on one connection into MongoDB messages.
class message_buffer {
 public:
  /// The memory into which the caller receives; at least 64 KiB. Then call received().
  [[nodiscard]] std::span<std::byte> room() {
    constexpr std::size_t step = 64UL * 1024;
    if (bytes_.size() - used_ < step) bytes_.resize(used_ + step);
    return std::span{bytes_}.subspan(used_);
  }

  /// Takes the first `bytes` bytes of room(), which were received, and calls each(header,
  /// message) for every complete message. Returns false if the bytes aren't a message.
  template <typename Each>
  [[nodiscard]] bool received(std::size_t bytes, Each each) {
    used_ += bytes;
    std::size_t at = 0;
    while (used_ - at >= wire::limits::header_bytes) {
      const std::span<const std::byte> rest{bytes_.data() + at, used_ - at};
      const auto header = wire::parse_header(rest.first<wire::limits::header_bytes>());
      if (!header) return false;
      const auto length = static_cast<std::size_t>(header->length);
      if (length > rest.size()) break;
      each(*header, rest.first(length));
      at += length;
    }
    if (at != 0) {
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
      used_ -= at;
    }
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
};

}  // namespace scattergate::bench
