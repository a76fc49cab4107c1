#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Escaping of JSON strings. next_json_piece() doesn't allocate.
namespace scattergate::text {

/// One piece of the inside of a JSON string.
struct json_piece {
  std::string_view text;     ///< the escaped text; a view into the input or into a static text
  std::size_t consumed = 0;  ///< the number of input bytes that `text` stands for
};

/// The first piece of `text` as the inside of a JSON string: a run that needs no escaping, or
/// one character's escape. Escapes as Python's json.dumps(ensure_ascii=False) does; also
/// escapes invisible characters (text/unseen.hpp) as \uXXXX, which programs read as the same
/// character. Each maximal invalid sequence of UTF-8 becomes one U+FFFD. REQUIRES: `text`
/// isn't empty.
[[nodiscard]] json_piece next_json_piece(std::string_view text) noexcept;

/// Appends `text` as the inside of a JSON string, without quotes; see next_json_piece().
void append_json_inside(std::string& to, std::string_view text);

/// Appends `text` as a JSON string, quotes included.
void append_json_string(std::string& to, std::string_view text);

/// Escapes the invisible characters (text/unseen.hpp) in complete JSON as \uXXXX. Leaves line
/// ends and tabs between the JSON's values unchanged.
void escape_unseen_in_json(std::string& json);

}  // namespace scattergate::text
