#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "config/text/input.hpp"

namespace scattergate::config {

/// Divides lines into statements: a command in JSON, on one line or pretty-printed on several;
/// or a statement of mongosh, which may continue on lines that begin with a dot. A line that
/// begins a statement ends one that is incomplete. Thread-safety: one thread.
class statement_lines {
 public:
  /// `is_prompt`: a person types the lines, so a complete line is judged at once.
  statement_lines(line_reader& lines, bool is_prompt) : lines_(lines), is_prompt_(is_prompt) {}

  /// Reads the next statement. Returns false at the end.
  [[nodiscard]] bool next();

  /// The statement's lines; empty if is_too_long().
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// The number of its first line, from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  /// Whether a line exceeds the reader's limit.
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }
  /// Whether it begins as a statement of mongosh on a database does: db.orders, use shop.
  [[nodiscard]] bool is_shell() const noexcept;
  /// Whether it is a JSON value, not a statement of mongosh.
  [[nodiscard]] bool is_value() const noexcept;

 private:
  [[nodiscard]] bool read_line();
  [[nodiscard]] bool continues_on(const std::string& next) const;
  void count_brackets(std::string_view line);

  line_reader& lines_;
  bool is_prompt_;
  std::string text_;
  std::size_t line_ = 0;
  bool is_too_long_ = false;
  bool has_line_ = false;    ///< lines_ has a line that no statement has yet
  std::size_t depth_ = 0;    ///< open brackets
  bool is_comment_ = false;  ///< a comment /* isn't closed
  char last_ = '\0';         ///< the last character that isn't a blank or in a comment
};

}  // namespace scattergate::config
