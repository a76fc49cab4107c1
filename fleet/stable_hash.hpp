#pragma once

#include <cstdint>
#include <string_view>

namespace scattergate::fleet {

/// Hashes a sequence of texts (64-bit FNV-1a). The result is the same in every process and
/// version of scattergate, so the hash may be stored.
class stable_hash {
 public:
  /// Appends a text to the sequence.
  void add(std::string_view text) noexcept {
    for (const char each : text) add(static_cast<unsigned char>(each));
    add(0xff);  // separates texts; UTF-8 never contains this byte
  }
  /// The hash of the texts added so far.
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void add(unsigned char byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3U; }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace scattergate::fleet
