#pragma once

#include <string>
#include <utility>

#include "text/printable.hpp"

namespace scattergate::report {

/// The terminal's width and colours.
struct text_style {
  std::size_t width = 100;
  bool has_colour = false;
};

/// The lines of a terminal view. Every line passes text::printable_line(), so no name or
/// comment can forge a line or a colour.
class terminal_lines {
 public:
  explicit terminal_lines(const text_style& style) noexcept : style_(style) {}

  void line(const std::string& text) { text_ += text::printable_line(text) + "\n"; }

  /// A line in bold, if the terminal has colours.
  void strong(const std::string& text) {
    if (!style_.has_colour) return line(text);
    text_ += "\033[1m" + text::printable_line(text) + "\033[0m\n";
  }

  [[nodiscard]] const text_style& style() const noexcept { return style_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  [[nodiscard]] std::string take() noexcept { return std::move(text_); }

 private:
  text_style style_;
  std::string text_;
};

}  // namespace scattergate::report
