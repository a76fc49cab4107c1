#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parsers and printers for single values of the configuration.
namespace scattergate::config {

/// Decimal digits only.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

/// `on`, `off`, `true`, `false`.
[[nodiscard]] std::optional<bool> parse_switch(std::string_view text);
[[nodiscard]] std::string_view show_switch(bool on) noexcept;

/// A count and `ms`, `s`, `m` or `h`; at most a year.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
[[nodiscard]] std::string show_duration(std::chrono::milliseconds duration);

/// A count of bytes, or a count and `KiB`, `MiB` or `GiB`.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);
[[nodiscard]] std::string show_size(std::uint64_t bytes);

/// 16 hexadecimal digits, as a shape hash is shown.
[[nodiscard]] std::optional<std::uint64_t> parse_hash(std::string_view text);

}  // namespace scattergate::config
