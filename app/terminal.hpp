#pragma once

#include <cstdio>
#include <string_view>

namespace scattergate::app {

/// Writes a line to standard output or standard error. Applies text::printable_line(), so that
/// no name, comment or reply in it can forge a line, a colour or a CI command. All output for
/// people goes through here.
void write_line(std::FILE* to, std::string_view line);

}  // namespace scattergate::app
