#pragma once

#include <cstdio>
#include <string_view>

namespace scattergate::app {

/// Writes a line to standard output or standard error; all messages for people use this
/// function. Makes the line printable (text::printable_line()), so that no name, comment or
/// reply in `line` can forge another line, a colour or a CI command.
void write_line(std::FILE* to, std::string_view line);

}  // namespace scattergate::app
