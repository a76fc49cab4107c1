#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Escapes JSON strings.
namespace scattergate::text {

/// One piece of a JSON string's content; a result of next_json_piece().
struct json_piece {
  std::string_view text;     ///< the escaped text; a view into the input or into a static text
  std::size_t consumed = 0;  ///< the number of input bytes that `text` stands for
};

/// Escapes the first piece of `text` for a JSON string: a run of characters that need no
/// escape, or one other character. Escapes as Python's json.dumps(ensure_ascii=False) does.
/// Also escapes invisible characters (text/unseen.hpp) as \uXXXX, which parsers read as the
/// same character. Each maximal invalid sequence of UTF-8 becomes one U+FFFD. Doesn't allocate.
/// REQUIRES: `text` isn't empty.
[[nodiscard]] json_piece next_json_piece(std::string_view text) noexcept;

/// Appends `text`, escaped by next_json_piece(), without quotes.
void append_json_inside(std::string& to, std::string_view text);

/// Appends `text` as a JSON string: in quotes, escaped by next_json_piece().
void append_json_string(std::string& to, std::string_view text);

/// Escapes the invisible characters (text/unseen.hpp) in complete, valid JSON as \uXXXX. Leaves
/// line ends and tabs between the JSON's values unchanged.
void escape_unseen_in_json(std::string& json);

}  // namespace scattergate::text
