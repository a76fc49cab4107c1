#include "app/interruption.hpp"

#include <csignal>

namespace scattergate::app {
namespace {

volatile std::sig_atomic_t was_interrupted = 0;

}  // namespace

void catch_interruption() {
  std::signal(SIGINT, [](int) { was_interrupted = 1; });
}

bool goes_on() noexcept {
  return was_interrupted == 0;
}

}  // namespace scattergate::app
