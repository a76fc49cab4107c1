#include "app/checks/connect_log.hpp"

#include <cstdio>

#include "app/terminal.hpp"

namespace scattergate::app {
namespace {

void print(std::string outcome, std::string_view what, std::string_view found,
           std::string_view advice = {}) {
  constexpr std::size_t width = 8;
  outcome.resize(width, ' ');
  std::string line = outcome + std::string{what} + ": " + std::string{found};
  if (!advice.empty()) line += "; " + std::string{advice};
  write_line(stdout, line);
}

}  // namespace

void connect_log::ok(std::string_view what, std::string_view found) {
  ++passed_;
  print("ok", what, found);
}

void connect_log::warn(std::string_view what, std::string_view found, std::string_view advice) {
  ++warnings_;
  print("warning", what, found, advice);
}

void connect_log::fail(std::string_view what, std::string_view cause, std::string_view advice) {
  ++failures_;
  print("FAILED", what, cause, advice);
}

void connect_log::print_summary() const {
  std::printf("%zu ok, %zu %s, %zu failed%s\n", passed_, warnings_,
              warnings_ == 1 ? "warning" : "warnings", failures_,
              failures_ == 0 ? "" : "; steps that depend on a failed one were skipped");
}

}  // namespace scattergate::app
