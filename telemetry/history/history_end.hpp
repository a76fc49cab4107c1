#pragma once

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"

namespace scattergate::telemetry {

/// Formats the last line of a stored history: a checksum of `lines`, all lines before it, to
/// detect truncation and corruption.
[[nodiscard]] inline std::string history_end(std::string_view lines) {
  std::array<char, 12> checksum{};
  std::snprintf(checksum.data(), checksum.size(), "%08x",
                wire::crc32c(0, std::as_bytes(std::span{lines})));
  std::string text;
  text::json_writer json{text};
  json.object();
  json.flag("end", true);
  json.text("crc32c", checksum.data());
  json.end();
  return text + '\n';
}

}  // namespace scattergate::telemetry
