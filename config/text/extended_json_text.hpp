#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Decodes the texts inside Extended JSON's type wrappers, such as {"$date": ...}.
namespace scattergate::config {

/// Decodes RFC 4648 base64 with padding; std::nullopt if malformed.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// Decodes a UUID with dashes to its 16 bytes; std::nullopt if malformed.
[[nodiscard]] std::optional<std::string> decode_uuid(std::string_view text);

/// Parses an RFC 3339 time, 2024-01-31T12:00:00[.123](Z or +hh:mm), to milliseconds since
/// 1970; std::nullopt if malformed.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace scattergate::config
