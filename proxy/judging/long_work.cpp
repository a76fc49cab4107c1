#include "proxy/judging/long_work.hpp"

#include <chrono>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

#include "net/failing_memory.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

/// The pause before `on_done` is called again after it ran out of memory.
constexpr std::chrono::milliseconds retry_after{10};

/// Lowers the calling thread's priority: when the CPU is scarce, short work runs first. On
/// Linux each thread has its own nice value (setpriority(2), "C library/kernel differences").
void be_less_urgent() noexcept {
  constexpr int by = 10;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), now + by));
}

}  // namespace

long_work_thread::~long_work_thread() {
  if (!thread_.joinable()) return;
  is_ending_ = true;
  asked_.release();
  thread_.join();
}

void long_work_thread::advance(long_work& what, std::function<void(bool)> on_done) {
  if (!memory_) memory_ = std::make_unique<judging_memory>();
  in_hand_ = &what;
  on_done_ = std::move(on_done);
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return do_piece();  // the next piece tries to create the thread again
    }
  }
  asked_.release();
}

void long_work_thread::run() {
  telemetry::log::set_thread_name(name_);
  be_less_urgent();
  for (asked_.acquire(); !is_ending_; asked_.acquire()) do_piece();
}

void long_work_thread::do_piece() noexcept {
  const auto before = computed();
  const bool is_over = in_hand_->advance(*memory_);
  took_ = computed() - before;
  // The callback may request the next piece.
  const auto on_done = std::exchange(on_done_, nullptr);
  while (!net::done_unless_memory_fails([&] { on_done(is_over); }) && !is_ending_) {
    std::this_thread::sleep_for(retry_after);
  }
}

}  // namespace scattergate::proxy
