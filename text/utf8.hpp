#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Checks, cleans and shortens UTF-8 text from clients.
namespace scattergate::text {

/// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, at most U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Whether `text` is UTF-8 without invisible characters (text/unseen.hpp).
[[nodiscard]] bool is_plain(std::string_view text) noexcept;

/// Replaces each invisible character (text/unseen.hpp), and each byte that isn't part of a
/// well-formed UTF-8 sequence, by U+FFFD.
[[nodiscard]] std::string to_plain(std::string_view text);

/// Replaces each byte that isn't part of a well-formed UTF-8 sequence by U+FFFD.
[[nodiscard]] std::string to_utf8(std::string_view text);

/// The first `max_bytes` bytes of `text`, or up to three bytes less, so that no UTF-8 sequence
/// is cut. All of `text` if it isn't longer. A view into `text`.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) noexcept;

/// Returns cut_utf8() of `text`, with "..." appended if something was cut.
[[nodiscard]] std::string cut_with_dots(std::string_view text, std::size_t max_bytes);

}  // namespace scattergate::text
