#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Texts from outside in Markdown, which none of them can break out of.
namespace scattergate::report {

/// A text from outside as a code span: the one place where Markdown makes no link of a
/// `www.`, no mention of an `@name` and no character of an `&commat;`.
[[nodiscard]] std::string code(std::string_view text);

/// As code(), in a cell of a table, which `|` would end even within code.
[[nodiscard]] std::string code_in_cell(std::string_view text);

/// As a block of code: fenced longer than any run of backticks in it.
[[nodiscard]] std::string fenced(std::string_view text, std::string_view language);

}  // namespace scattergate::report
