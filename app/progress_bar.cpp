#include "app/progress_bar.hpp"

#include <cstdio>
#include <utility>

#include <unistd.h>

#include "text/printable.hpp"

namespace scattergate::app {
namespace {

constexpr std::chrono::seconds shown_after{1};
constexpr std::chrono::milliseconds between{200};
constexpr double mib = 1024.0 * 1024.0;

}  // namespace

progress_bar::progress_bar(std::string name)
    : name_(text::printable(name)), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

progress_bar::~progress_bar() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void progress_bar::show(std::uint64_t done, std::uint64_t total) {
  if (!is_terminal_) return;
  const auto now = clock::now();
  if (now - began_ < shown_after || now - shown_ < between) return;
  shown_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double read = static_cast<double>(done);
  const double rate = read / seconds;
  std::fprintf(stderr, "\r\033[K%s  %.0f MiB", name_.c_str(), read / mib);
  if (total != 0) {
    std::fprintf(stderr, " of %.0f (%.0f %%)", static_cast<double>(total) / mib,
                 100 * read / static_cast<double>(total));
  }
  std::fprintf(stderr, ", %.0f MiB/s", rate / mib);
  if (total > done && rate > 0) {
    std::fprintf(stderr, ", %.0f s left", static_cast<double>(total - done) / rate);
  }
  std::fflush(stderr);
}

}  // namespace scattergate::app
