#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "config/cluster/threads_left.hpp"

/// Time limits for calls that can't be interrupted, such as getaddrinfo().
namespace scattergate::app {

/// Runs `work` on a thread of its own and returns its result; std::nullopt if it takes longer
/// than `limit`. In that case, detaches the thread, which keeps everything that `work` owns.
/// The thread may still use static objects, so main() ends with leave().
template <typename Work>
[[nodiscard]] std::optional<std::invoke_result_t<Work>> answer_within(
    std::chrono::milliseconds limit, Work work) {
  std::packaged_task<std::invoke_result_t<Work>()> task{std::move(work)};
  auto answer = task.get_future();
  std::thread thread{std::move(task)};
  if (answer.wait_for(limit) == std::future_status::ready) {
    thread.join();
    return answer.get();
  }
  config::threads_left.fetch_add(1);
  thread.detach();
  return std::nullopt;
}

/// Returns `status`, the exit status of the program. If threads were detached
/// (config::threads_left), ends the program here instead, without destroying anything that they
/// may use. Only main() calls it: by then all objects that may detach a thread, such as
/// proxy::daemon, are destroyed.
[[nodiscard]] int leave(int status);

}  // namespace scattergate::app
