#include "app/terminal.hpp"

#include <string>

#include "text/printable.hpp"

namespace scattergate::app {

void write_line(std::FILE* to, std::string_view line) {
  const std::string shown = text::printable_line(line) + "\n";
  std::fwrite(shown.data(), 1, shown.size(), to);
  std::fflush(to);
}

int fail(std::string_view subcommand, const text::problem& problem) {
  write_line(stderr, "scattergate " + std::string{subcommand} + ": " + to_string(problem));
  return could_not;
}

}  // namespace scattergate::app
