#include "sim/programs/demo/progress.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace scattergate::sim::demo {

progress::progress(std::uint64_t total)
    : total_(std::max<std::uint64_t>(total, 1)),
      is_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

void progress::show(std::uint64_t done) {
  if (is_terminal_) {
    print(done, "");
  } else if (done * 10 / total_ >= next_tenth_) {
    next_tenth_ = done * 10 / total_ + 1;
    print(done, "\n");
  }
}

void progress::finish(std::uint64_t done) {
  print(done, "\n");
}

void progress::print(std::uint64_t done, const char* end) const {
  constexpr std::uint64_t width = 30;
  const std::uint64_t filled = std::min(done, total_) * width / total_;
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
  std::fprintf(stderr, "%s  [%s] %" PRIu64 " of %" PRIu64 " requests, %.1f s%s",
               is_terminal_ ? "\r" : "", bar.c_str(), done, total_, since.count(), end);
  std::fflush(stderr);
}

}  // namespace scattergate::sim::demo
