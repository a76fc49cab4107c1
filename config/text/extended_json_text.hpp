#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The texts inside Extended JSON's type wrappers.
namespace scattergate::config {

/// RFC 4648 base64, padding required.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// The 16 bytes of a UUID written with dashes.
[[nodiscard]] std::optional<std::string> decode_uuid(std::string_view text);

/// Milliseconds since 1970 of an RFC 3339 time: 2024-01-31T12:00:00[.123](Z or +hh:mm).
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace scattergate::config
