#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/text/scalars.hpp"

/// How settings take their values over. Each function returns what would have been right
/// where the text is bad, else nothing.
namespace scattergate::config {

inline constexpr std::string_view address_wanted =
    "an address is wanted: host:port, [v6]:port or unix:/path";

/// "a number from 1 to 9 is wanted".
[[nodiscard]] std::string number_wanted(std::uint64_t least, std::uint64_t most);

template <typename Number>
[[nodiscard]] std::string set_count(Number& to, std::string_view text, std::uint64_t least,
                                    std::uint64_t most) {
  const auto count = parse_count(text);
  if (!count || *count < least || *count > most) return number_wanted(least, most);
  to = static_cast<Number>(*count);
  return {};
}

[[nodiscard]] std::string set_switch(bool& to, std::string_view text);

[[nodiscard]] std::string set_duration(std::chrono::milliseconds& to, std::string_view text,
                                       std::chrono::milliseconds least,
                                       std::chrono::milliseconds most);

/// A duration from 100ms to 24h, or 0s, which switches off what it is for.
[[nodiscard]] std::string set_duration_or_zero(std::chrono::milliseconds& to,
                                               std::string_view text);

/// `bounds` are `least` and `most` as a message shows them: "64KiB to 48000000".
[[nodiscard]] std::string set_size(std::uint64_t& to, std::string_view text,
                                   std::uint64_t least, std::uint64_t most,
                                   std::string_view bounds);

/// The name of a file, as it is.
[[nodiscard]] std::string set_file(std::string& to, std::string_view text);

/// A template of web addresses with {db}, {collection}, {command}, {shape}, {from} and {to}; or
/// nothing.
[[nodiscard]] std::string set_link_template(std::string& to, std::string_view text);

/// The name of a file to read, made absolute.
[[nodiscard]] std::string set_input_file(std::string& to, std::string_view text);

}  // namespace scattergate::config
