#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "text/printable.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Writes a line for people to standard output or standard error. All messages for people use
/// this function, because it makes the line printable (text::printable_line()). So no name,
/// comment or reply in `line` can forge another line, a colour or a CI command. Hides the
/// passwords of connection strings in it.
void write_line(std::FILE* to, std::string_view line);

/// Writes a document of whole lines to standard output: a catalog, a configuration or commands.
/// Breaks the CI commands in it. `syntax`: the document's syntax.
void write_document(std::string document, text::ci_syntax syntax);

/// The exit status of a subcommand that couldn't do all of its work.
inline constexpr int could_not = 2;

/// Prints a problem of a subcommand on standard error: "scattergate SUBCOMMAND: problem".
/// Returns could_not.
int fail(std::string_view subcommand, const text::problem& problem);

}  // namespace scattergate::app
