#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/text/scalars.hpp"
#include "text/problem.hpp"
#include "wire/label_table.hpp"

/// Sets the values of settings from text. If a text is invalid, each of these functions changes
/// nothing and returns a problem that says what is expected.
namespace scattergate::config {

/// The problem's text for an invalid address.
inline constexpr std::string_view expected_address =
    "expected an address: host:port, [v6]:port or unix:/path";

/// The problem's text for an invalid number: "expected a number from 1 to 9".
[[nodiscard]] std::string expected_number(std::uint64_t least, std::uint64_t most);

/// Sets a number from `least` to `most`.
template <typename Number>
[[nodiscard]] text::result<void> set_count(Number& to, std::string_view text,
                                           std::uint64_t least, std::uint64_t most) {
  const auto count = parse_count(text);
  if (!count || *count < least || *count > most) {
    return text::failure(expected_number(least, most));
  }
  to = static_cast<Number>(*count);
  return {};
}

/// Sets a switch: true for the texts `on` and `true`, false for `off` and `false`.
[[nodiscard]] text::result<void> set_switch(bool& to, std::string_view text);

/// Sets an enum value by its word.
template <typename Enum>
[[nodiscard]] text::result<void> set_word(Enum& to, std::string_view text,
                                          const wire::label_table<Enum>& words,
                                          std::string_view expected) {
  const auto found = words.find(text);
  if (!found) return text::failure(std::string{expected});
  to = *found;
  return {};
}

/// The word of an enum value.
template <typename Enum>
[[nodiscard]] std::string show_word(Enum value, const wire::label_table<Enum>& words) {
  return std::string{words[value]};
}

/// Sets a duration ("30s") from `least` to `most`.
[[nodiscard]] text::result<void> set_duration(std::chrono::milliseconds& to,
                                              std::string_view text,
                                              std::chrono::milliseconds least,
                                              std::chrono::milliseconds most);

/// Sets a duration ("30s") from 100ms to 24h, or 0s, which disables the feature.
[[nodiscard]] text::result<void> set_duration_or_zero(std::chrono::milliseconds& to,
                                                      std::string_view text);

/// Sets a size ("64KiB") from `least` to `most` bytes. `bounds`: both limits as the problem
/// shows them, such as "64KiB to 48000000".
[[nodiscard]] text::result<void> set_size(std::uint64_t& to, std::string_view text,
                                          std::uint64_t least, std::uint64_t most,
                                          std::string_view bounds);

/// Sets the name of a file, unchanged.
[[nodiscard]] text::result<void> set_file(std::string& to, std::string_view text);

/// Sets a template for links: an http or https address of at most 1000 bytes, which may contain
/// {db}, {collection}, {command}, {shape}, {from} and {to}; or an empty text.
[[nodiscard]] text::result<void> set_link_template(std::string& to, std::string_view text);

/// Sets the name of a file to read, and makes it absolute.
[[nodiscard]] text::result<void> set_input_file(std::string& to, std::string_view text);

}  // namespace scattergate::config
