#include "app/terminal.hpp"

#include <string>

#include "text/printable.hpp"

namespace scattergate::app {

void write_line(std::FILE* to, std::string_view line) {
  const std::string shown = text::printable_line(line) + "\n";
  std::fwrite(shown.data(), 1, shown.size(), to);
  std::fflush(to);
}

}  // namespace scattergate::app
