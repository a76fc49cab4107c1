#pragma once

#include <string>
#include <utility>

#include "report/views/report_model.hpp"
#include "text/printable.hpp"

namespace scattergate::report {

/// The terminal's width and colours.
struct text_style {
  std::size_t width = 100;  ///< in columns
  bool has_colour = false;  ///< whether to write ANSI escape sequences
};

/// Collects the lines of a terminal view. Makes every line printable (text::printable_line()),
/// so that no name or comment can forge a line or a colour.
class terminal_lines {
 public:
  explicit terminal_lines(const text_style& style) noexcept : style_(style) {}

  /// Appends a line.
  void line(const std::string& text) { text_ += text::printable_line(text) + "\n"; }

  /// Appends a line, in bold if the terminal has colours.
  void strong(const std::string& text) {
    if (!style_.has_colour) return line(text);
    text_ += "\033[1m" + text::printable_line(text) + "\033[0m\n";
  }

  [[nodiscard]] const text_style& style() const noexcept { return style_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  /// Returns all lines, each with its newline. Afterwards this object is empty.
  [[nodiscard]] std::string take() noexcept { return std::move(text_); }

 private:
  text_style style_;
  std::string text_;
};

/// The report as text for a terminal. A table of shapes (commands without their values) comes
/// first. Then follows a block for each shape whose commands go to several shards or to unknown
/// ones.
[[nodiscard]] std::string report_text(const report_model& of, const text_style& style);

}  // namespace scattergate::report
