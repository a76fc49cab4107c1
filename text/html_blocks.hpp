#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The building blocks of all our HTML. Each function appends one to `html`, and escapes its
/// other arguments, except for arguments named `..._html`, which are HTML already.
namespace scattergate::text {

/// Begins a page, up to the middle of its head: next, append a style sheet and the body.
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

/// Appends a cell with text.
void append_cell(std::string& html, std::string_view text);

/// How a number cell looks; `bad` highlights it.
enum class weight : std::uint8_t { plain, bad };
/// Appends a cell with a number, formatted as `text`. `sort_by`: the number for the page's
/// script, which sorts the table by it.
void append_number_cell(std::string& html, std::string_view text, weight of = weight::plain,
                        std::optional<std::uint64_t> sort_by = std::nullopt);

/// Appends a number, or a few words, with the caption `what` below.
void append_tile(std::string& html, std::string_view number, std::string_view what);

/// Appends one entry of a list of facts (<dl>); nothing if `text` is empty.
void append_fact(std::string& html, std::string_view name, std::string_view text);
/// Same as append_fact(), with a value that is HTML.
void append_fact_html(std::string& html, std::string_view name, std::string_view fact_html);

/// Appends preformatted text, for copying; nothing if `text` is empty.
void append_code(std::string& html, std::string_view text);
/// Same as append_fact(), with a value that is preformatted text.
void append_code_fact(std::string& html, std::string_view name, std::string_view text);

}  // namespace scattergate::text
