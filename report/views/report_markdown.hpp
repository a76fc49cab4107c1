#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// Escapes untrusted texts for Markdown, so that no text becomes markup.

/// The text as a code span; empty for an empty text. Only in code does Markdown show
/// `www.` (a link), `@name` (a mention) and `&commat;` (an entity) exactly as written.
[[nodiscard]] std::string code(std::string_view text);

/// The text as a code span for a table cell. Escapes `|`, which would end the cell even inside
/// code.
[[nodiscard]] std::string code_in_cell(std::string_view text);

/// The text as a code block, fenced with more backticks than the text contains in a row.
/// `language`: for syntax highlighting; may be empty.
[[nodiscard]] std::string fenced(std::string_view text, std::string_view language);

/// The report as Markdown, for a ticket or a pull request.
[[nodiscard]] std::string report_markdown(const report_model& of);

}  // namespace scattergate::report
