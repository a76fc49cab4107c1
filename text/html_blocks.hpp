#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// What all of our HTML is made of. Texts may hold anything: they are escaped here. Arguments
/// called `html` are HTML already.
namespace scattergate::text {

/// The beginning of a page, its head still open: a style sheet and the body follow.
void append_page_head(std::string& html, std::string_view title);

/// A column of a table. Numbers stand at the right.
struct html_column {
  std::string_view name;
  bool is_number = false;
  /// What the page's script sorts by, at a click: 'n' numbers, 't' texts; 0: nothing.
  char sorts_by = 0;
};

/// A table up to its first row, in a box that scrolls by itself where it is too wide. A named
/// box can be scrolled by keys.
void append_table_begin(std::string& html, std::span<const html_column> columns,
                        std::string_view name = {});
/// `foot`: rows behind the body.
void append_table_end(std::string& html, std::string_view foot_html = {});

void append_cell(std::string& html, std::string_view text);

/// A cell with what stands for a number. `bad`: made to be seen. `sort_by`: its value for the
/// page's script.
enum class weight : std::uint8_t { plain, bad };
void append_number_cell(std::string& html, std::string_view text, weight of = weight::plain,
                        std::optional<std::uint64_t> sort_by = std::nullopt);

/// A number, or a few words, with what it counts below.
void append_tile(std::string& html, std::string_view number, std::string_view what);

/// One line of a list of facts (<dl>); nothing where there is nothing to say.
void append_fact(std::string& html, std::string_view name, std::string_view text);
/// The same of HTML.
void append_fact_html(std::string& html, std::string_view name, std::string_view fact_html);

/// What keeps its lines, and is pasted elsewhere; nothing where there is nothing.
void append_code(std::string& html, std::string_view text);
/// The same as a fact.
void append_code_fact(std::string& html, std::string_view name, std::string_view text);

}  // namespace scattergate::text
