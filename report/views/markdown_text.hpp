#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Escapes untrusted texts for Markdown, so that none can break out.
namespace scattergate::report {

/// An untrusted text as a code span, the only place where Markdown interprets no link (`www.`),
/// mention (`@name`) or entity (`&commat;`).
[[nodiscard]] std::string code(std::string_view text);

/// An untrusted text as a code span in a table cell, which `|` would end even inside code.
[[nodiscard]] std::string code_in_cell(std::string_view text);

/// A code block, fenced with more backticks than the text contains in a row.
[[nodiscard]] std::string fenced(std::string_view text, std::string_view language);

}  // namespace scattergate::report
