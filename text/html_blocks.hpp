#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The building blocks of all our HTML. They escape their texts, so texts may hold anything.
/// Arguments whose name ends in `html` are HTML already.
namespace scattergate::text {

/// Begins a page and leaves its head open: append a style sheet and the body.
void append_page_head(std::string& html, std::string_view title);

/// A column of a table. Numbers are right-aligned.
struct html_column {
  std::string_view name;
  bool is_number = false;
  /// The sort type that the page's script uses when the column is clicked: 'n' numbers, 't'
  /// texts; 0: not sortable.
  char sorts_by = 0;
};

/// Begins a table, up to its first row, in a box that scrolls if the table is too wide. A named
/// box can be scrolled by keyboard.
void append_table_begin(std::string& html, std::span<const html_column> columns,
                        std::string_view name = {});
/// Ends a table. `foot_html`: rows after the body.
void append_table_end(std::string& html, std::string_view foot_html = {});

void append_cell(std::string& html, std::string_view text);

/// A cell with a number as text. `bad` highlights it. `sort_by`: its value for the page's
/// script.
enum class weight : std::uint8_t { plain, bad };
void append_number_cell(std::string& html, std::string_view text, weight of = weight::plain,
                        std::optional<std::uint64_t> sort_by = std::nullopt);

/// A number, or a few words, with a caption below.
void append_tile(std::string& html, std::string_view number, std::string_view what);

/// One entry of a list of facts (<dl>); nothing if `text` is empty.
void append_fact(std::string& html, std::string_view name, std::string_view text);
/// append_fact() with a value that is HTML.
void append_fact_html(std::string& html, std::string_view name, std::string_view fact_html);

/// Preformatted text, for copying; nothing if `text` is empty.
void append_code(std::string& html, std::string_view text);
/// append_fact() with a value that is preformatted text.
void append_code_fact(std::string& html, std::string_view name, std::string_view text);

}  // namespace scattergate::text
