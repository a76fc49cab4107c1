#pragma once

#include <cstdint>
#include <string_view>

namespace scattergate::fleet {

/// Hashes a sequence of texts (FNV-1a). Equal in every process and version, so it may be
/// stored.
class stable_hash {
 public:
  /// Appends a text to the sequence.
  void add(std::string_view text) noexcept {
    for (const char each : text) add(static_cast<unsigned char>(each));
    add(0xff);  // between texts; never part of UTF-8
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void add(unsigned char byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3U; }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace scattergate::fleet
