#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Decodes the texts inside Extended JSON's type wrappers.
namespace scattergate::config {

/// Decodes RFC 4648 base64, padding required.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// Decodes a UUID with dashes to its 16 bytes.
[[nodiscard]] std::optional<std::string> decode_uuid(std::string_view text);

/// Parses an RFC 3339 time to milliseconds since 1970: 2024-01-31T12:00:00[.123](Z or +hh:mm).
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace scattergate::config
