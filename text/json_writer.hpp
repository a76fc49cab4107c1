#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
/// Also escapes invisible characters (text/utf8.hpp) as \uXXXX, which parsers read as the
/// same character. Each maximal invalid sequence of UTF-8 becomes one U+FFFD. Doesn't allocate.
/// REQUIRES: `text` isn't empty.
[[nodiscard]] json_piece next_json_piece(std::string_view text) noexcept;

/// Appends `text`, escaped by next_json_piece(), without quotes.
void append_json_inside(std::string& to, std::string_view text);

/// Appends `text` as a JSON string: in quotes, escaped by next_json_piece().
void append_json_string(std::string& to, std::string_view text);

/// Escapes the invisible characters (text/utf8.hpp) in complete, valid JSON as \uXXXX. Leaves
/// line ends and tabs between the JSON's values unchanged.
void escape_invisible_in_json(std::string& json);

/// Appends JSON to a text, value by value. Adds commas, colons and brackets. Allocates only to
/// let the text grow.
///
/// A function with a parameter `name` writes a member of the open object. A function without
/// `name` writes an item of the open array, the value after name(), or the outermost value.
/// REQUIRES: end() is called for each object() and array(), which nest at most 64 deep.
class json_writer {
 public:
  /// Appends to `to`, which must outlive this object.
  explicit json_writer(std::string& to) noexcept : to_(to) {}

  /// Opens an object; end() closes it.
  void object() { open('{'); }
  /// Opens an array; end() closes it.
  void array() { open('['); }
  void end();  ///< closes the object or array that was opened last
  void object(std::string_view name) {
    this->name(name);
    object();
  }
  void array(std::string_view name) {
    this->name(name);
    array();
  }

  /// Writes a member's name; its value follows.
  void name(std::string_view name);

  /// Writes a string; escapes it by append_json_string().
  void text(std::string_view value);
  /// Writes true or false.
  void flag(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) void number(Number value) {
    if constexpr (std::is_signed_v<Number>) {
      signed_number(value);
    } else {
      unsigned_number(value);
    }
  }
  /// Writes a number with `digits` digits after the point, as printf's %f does.
  void decimal(double value, int digits);
  /// Writes a time as a string in UTC: "2024-05-01T12:00:00.000Z".
  void time(std::chrono::system_clock::time_point value);
  /// Writes `json`, one JSON value, unchanged.
  void raw(std::string_view json);

  void text(std::string_view name, std::string_view value) {
    this->name(name);
    text(value);
  }
  void flag(std::string_view name, bool value) {
    this->name(name);
    flag(value);
  }
  void null(std::string_view name) {
    this->name(name);
    null();
  }
  void number(std::string_view name, std::integral auto value) {
    this->name(name);
    number(value);
  }
  void decimal(std::string_view name, double value, int digits) {
    this->name(name);
    decimal(value, digits);
  }
  void time(std::string_view name, std::chrono::system_clock::time_point value) {
    this->name(name);
    time(value);
  }
  void raw(std::string_view name, std::string_view json) {
    this->name(name);
    raw(json);
  }
  /// Writes an array of texts.
  void texts(std::string_view name, std::span<const std::string> values);

  /// Writes a string, or null if `value` is empty.
  void text_or_null(std::string_view name, std::string_view value) {
    value.empty() ? null(name) : text(name, value);
  }
  /// Writes `json`, one JSON value, unchanged; null if `json` is empty.
  void raw_or_null(std::string_view name, std::string_view json) {
    json.empty() ? null(name) : raw(name, json);
  }
  template <std::integral Number>
  void number_or_null(std::string_view name, std::optional<Number> value) {
    value ? number(name, *value) : null(name);
  }
  /// Writes a time as a string, or null if `value` is empty.
  void time_or_null(std::string_view name,
                    const std::optional<std::chrono::system_clock::time_point>& value);

 private:
  void before_value();
  void open(char bracket);
  void signed_number(std::int64_t value);
  void unsigned_number(std::uint64_t value);

  std::string& to_;
  /// A bit per open object or array, the innermost the lowest: 1 for an array.
  std::uint64_t arrays_ = 0;
  bool needs_comma_ = false;
};

}  // namespace scattergate::text
