#include "app/terminal.hpp"

#include <string>
#include <utility>

#include "config/driver/connection_string.hpp"
#include "text/printable.hpp"

namespace scattergate::app {

void write_line(std::FILE* to, std::string_view line) {
  const std::string shown = text::printable_line(config::hide_passwords(line)) + "\n";
  std::fwrite(shown.data(), 1, shown.size(), to);
  std::fflush(to);
}

void write_document(std::string document, text::ci_syntax syntax) {
  const std::string safe = text::ci_safe(std::move(document), syntax);
  std::fwrite(safe.data(), 1, safe.size(), stdout);
}

int fail(std::string_view subcommand, const text::problem& problem) {
  write_line(stderr, "scattergate " + std::string{subcommand} + ": " + to_string(problem));
  return could_not;
}

}  // namespace scattergate::app
