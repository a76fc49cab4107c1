#pragma once

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "wire/crc32c.hpp"

namespace scattergate::telemetry {

/// The last line of a stored history, by which one that was cut or spoilt is noticed: the
/// checksum of all lines before.
[[nodiscard]] inline std::string history_end(std::string_view lines) {
  std::array<char, 48> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "{\"end\":true,\"crc32c\":\"%08x\"}\n",
                    wire::crc32c(0, std::as_bytes(std::span{lines})));
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace scattergate::telemetry
