#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parsers and printers for single values of the configuration.
namespace scattergate::config {

/// Parses a number of decimal digits; std::nullopt for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

/// Parses `on`, `off`, `true` or `false`; std::nullopt for any other text.
[[nodiscard]] std::optional<bool> parse_switch(std::string_view text);
/// Formats a switch as `on` or `off`.
[[nodiscard]] std::string_view show_switch(bool on) noexcept;

/// Parses a duration such as "30s": a number and `ms`, `s`, `m` or `h`, at most 365 days.
/// std::nullopt for any other text.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// Formats a duration as parse_duration() reads it.
[[nodiscard]] std::string show_duration(std::chrono::milliseconds duration);

/// Parses a number of bytes, or a number and `KiB`, `MiB` or `GiB`; std::nullopt for any other
/// text.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);
/// Formats a size as parse_size() reads it.
[[nodiscard]] std::string show_size(std::uint64_t bytes);

/// Parses a shape hash, 16 hexadecimal digits; std::nullopt for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_hash(std::string_view text);

}  // namespace scattergate::config
