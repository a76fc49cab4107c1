#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/text/parse_problem.hpp"

namespace scattergate::config {

/// A problem in mongosh's text, thrown by its parsers. The reader catches it.
struct shell_error : parse_problem {};

/// Reads the tokens of mongosh's text. All functions skip blanks and comments first.
/// Thread-safety: one thread.
class shell_scanner {
 public:
  /// `first_line`: the number of the text's first line.
  shell_scanner(std::string_view text, std::size_t first_line)
      : text_(text), line_(first_line) {}

  [[nodiscard]] bool at_end();
  /// The next character; NUL at the end.
  [[nodiscard]] char peek();
  /// Takes the next character if it is this one.
  [[nodiscard]] bool take(char expected);
  /// Takes the next character, which must be this one, otherwise throws.
  void expect(char expected);
  /// Takes an identifier; empty if there is none.
  [[nodiscard]] std::string_view name();
  /// Takes a text in quotes, without them, with escapes replaced.
  [[nodiscard]] std::string quoted();
  /// Takes a number in JavaScript's syntax, and returns it in JSON's.
  [[nodiscard]] std::string number();
  /// A regular expression between slashes.
  struct regex {
    std::string pattern, flags;
  };
  [[nodiscard]] regex pattern();
  /// Skips everything up to the bracket that closes one that was just taken, and that bracket.
  void skip_brackets();
  /// Skips the rest of the statement: to its semicolon, or to the end of its line.
  void skip_statement();

  /// The line of the next token, from 1.
  [[nodiscard]] std::size_t line();
  /// Throws a shell_error at the current line.
  [[noreturn]] void fail(const std::string& what);
  /// The next characters, quoted, for a message.
  [[nodiscard]] std::string next_words();

 private:
  void skip_blanks();
  void skip_char() noexcept;
  void append_escaped(std::string& to);

  std::string_view text_;
  std::size_t line_;
};

}  // namespace scattergate::config
