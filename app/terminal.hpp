#pragma once

#include <cstdio>
#include <string_view>

namespace scattergate::app {

/// Writes a line to standard output or standard error, which may be a terminal or the log of a
/// CI job: it passes text::printable_line(), so no name, comment or reply in it can forge a
/// line, a colour or a CI command. All that the program prints for people passes here.
void write_line(std::FILE* to, std::string_view line);

}  // namespace scattergate::app
