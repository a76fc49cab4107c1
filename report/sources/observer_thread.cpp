#include "report/sources/observer_thread.hpp"

#include <utility>

namespace scattergate::report {
namespace {

// Large enough to make waking the other thread cheap; several batches exist at a time.
constexpr std::size_t most_in_batch = 256;
constexpr std::size_t most_batch_bytes = 256UL << 10;
/// A larger command's memory is freed at once.
constexpr std::size_t most_kept_bytes = 4UL << 10;

}  // namespace

void observer_thread::batch::add(observation&& one) {
  if (count == seen.size()) seen.emplace_back();
  bytes += one.command.size() + one.origin.size();
  seen[count++] = std::move(one);
}

/// Small memory stays for the thread that allocated it, which is cheaper.
void observer_thread::batch::clear() noexcept {
  for (observation& one : seen) {
    if (one.command.capacity() + one.origin.capacity() > most_kept_bytes) one = {};
  }
  count = 0;
  bytes = 0;
  skipped = {};
}

observer_thread::observer_thread(observer& to)
    : to_(to), thread_([this](const batch& what) { deliver(what); }) {}

void observer_thread::on_command(const observation& seen) {
  on_given(observation{seen});
}

void observer_thread::on_given(observation&& seen) {
  batch& filling = thread_.filling();
  filling.add(std::move(seen));
  if (filling.count == most_in_batch || filling.bytes >= most_batch_bytes) thread_.hand_over();
}

void observer_thread::on_skipped(skip_reason why) {
  ++thread_.filling().skipped[static_cast<std::size_t>(why)];
}

void observer_thread::on_row(const digest::row& judged) {
  finish();
  to_.on_row(judged);
}

void observer_thread::on_digest(const digest::table& judged) {
  finish();
  to_.on_digest(judged);
}

void observer_thread::deliver(const batch& what) {
  for (std::size_t i = 0; i < what.count; ++i) to_.on_command(what.seen[i]);
  for (std::size_t why = 0; why < what.skipped.size(); ++why) {
    for (auto left = what.skipped[why]; left != 0; --left) {
      to_.on_skipped(static_cast<skip_reason>(why));
    }
  }
}

}  // namespace scattergate::report
