#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The building blocks of scattergate's HTML. Each function appends one block to `html`.
/// Escapes its other arguments, except those named `..._html`, which are HTML already.
namespace scattergate::text {

/// Escapes `text` for HTML: for elements and for quoted attributes. Invisible characters
/// (text/utf8.hpp) become the visible text \uXXXX; bytes that aren't UTF-8 become U+FFFD.
[[nodiscard]] std::string html_text(std::string_view text);

/// Begins a page with the first part of its <head>. Next, append a style sheet, `</head>`, and
/// the body.
void append_page_head(std::string& html, std::string_view title);

/// A column of a table. Numbers are right-aligned.
struct html_column {
  std::string_view name;
  bool is_number = false;  ///< right-aligns the column
  /// How the page's script sorts the table when the column is clicked: 'n': as numbers, 't':
  /// as texts, 0: not at all.
  char sorts_by = 0;
};

/// Begins a table, with the row of column names. The table is in a box that scrolls if the
/// table is too wide. `name`: the box's accessible name; empty: the keyboard can't scroll the
/// box.
void append_table_begin(std::string& html, std::span<const html_column> columns,
                        std::string_view name = {});
/// Ends a table. `foot_html`: rows (<tr>) for the table's foot; empty: none.
void append_table_end(std::string& html, std::string_view foot_html = {});

/// Appends a cell with text.
void append_cell(std::string& html, std::string_view text);

/// The look of a cell with a number; `bad` highlights the number.
enum class weight : std::uint8_t { plain, bad };
/// Appends a cell with a number, formatted as `text`. `sort_by`: the number by which the
/// page's script sorts the table; empty: the text.
void append_number_cell(std::string& html, std::string_view text, weight of = weight::plain,
                        std::optional<std::uint64_t> sort_by = std::nullopt);

/// Appends a tile: a number, or a few words, with the caption `what` below.
void append_tile(std::string& html, std::string_view number, std::string_view what);

/// Appends one entry of a list of facts (<dl>); nothing if `text` is empty.
void append_fact(std::string& html, std::string_view name, std::string_view text);
/// Appends one entry of a list of facts (<dl>), whose value is HTML; nothing if `fact_html` is
/// empty.
void append_fact_html(std::string& html, std::string_view name, std::string_view fact_html);

/// Appends preformatted text (<pre>), for copying; nothing if `text` is empty.
void append_code(std::string& html, std::string_view text);
/// Appends one entry of a list of facts (<dl>), whose value is preformatted text; nothing if
/// `text` is empty.
void append_code_fact(std::string& html, std::string_view name, std::string_view text);

}  // namespace scattergate::text
