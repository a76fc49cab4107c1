#include "telemetry/accounts/account.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "net/failing_memory.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

/// The delay before the account's thread tries again to count a delta for which there was no
/// memory.
constexpr std::chrono::milliseconds try_again{10};

}  // namespace

account::account(live_digest& into, std::vector<sink_thread*> sinks, sketch_book* sketches)
    : digest_(into), sinks_(std::move(sinks)), sketches_(sketches), asks_(sinks_.size()) {
  inbox_.reserve(most_waiting);
  sketched_.reserve(most_sketched);
  spare_.reserve(most_sketched);
  thread_ = std::thread{[this] { run(); }};
}

account::~account() {
  close();
}

void account::submit(std::vector<shape_delta> deltas) {
  if (deltas.empty()) return;
  const std::size_t count = deltas.size();
  {
    const std::lock_guard lock{mutex_};
    inbox_.push_back(std::move(deltas));
    ++handed_over_;
    waiting_.fetch_add(count, std::memory_order_relaxed);
  }
  wake_.notify_one();
}

sketch_batch account::exchange(sketch_batch filled) noexcept {
  sketch_batch empty;
  bool is_taken = false;
  {
    const std::lock_guard lock{mutex_};
    is_taken = sketched_.size() < sketched_.capacity();
    if (is_taken) {
      sketched_.push_back(std::move(filled));
      ++handed_over_;
      if (!spare_.empty()) {
        empty = std::move(spare_.back());
        spare_.pop_back();
      }
    }
  }
  if (!is_taken) {
    sketches_->add(filled);
    filled.clear();
    return filled;
  }
  wake_.notify_one();
  if (empty.is_full()) (void)net::done_unless_memory_fails([&] { empty.reserve(); });
  return empty;
}

/// Adds the batches to the sketches and recycles them. Leaves `taken` empty.
void account::add_sketched(std::vector<sketch_batch>& taken) {
  for (sketch_batch& each : taken) {
    sketches_->add(each);
    each.clear();
    const std::lock_guard lock{mutex_};
    if (spare_.size() < spare_.capacity()) spare_.push_back(std::move(each));
  }
  taken.clear();
}

void account::run() {
  log::begin_thread("account");
  batches taken;
  std::vector<sketch_batch> sketched;
  (void)net::done_unless_memory_fails([&] {
    taken.reserve(most_waiting);
    sketched.reserve(most_sketched);
  });
  std::uint64_t up_to = 0;
  for (bool is_last = false; !is_last;) {
    {
      std::unique_lock lock{mutex_};
      wake_.wait(lock, [this] { return is_closing_ || !inbox_.empty() || !sketched_.empty(); });
      is_last = is_closing_;
      taken.swap(inbox_);
      sketched.swap(sketched_);
      up_to = handed_over_;
    }
    for (const auto& deltas : taken) {
      for (const shape_delta& delta : deltas) add(delta);
      waiting_.fetch_sub(deltas.size(), std::memory_order_relaxed);
    }
    taken.clear();
    add_sketched(sketched);
    {
      const std::lock_guard lock{mutex_};
      added_ = up_to;
    }
    has_added_.notify_all();
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      if (asks_[i]) sinks_[i]->wake();
      asks_[i] = false;
    }
  }
}

/// Repeats `work`, which does all or nothing, until there is memory for it. Returns false if it
/// gave up, because the account is closing.
template <typename Work>
bool account::await_memory_for(const Work& work) {
  while (!net::done_unless_memory_fails(work)) {
    std::unique_lock lock{mutex_};
    if (is_closing_ && last_tries_ == 0) return false;
    if (is_closing_) --last_tries_;
    wake_.wait_for(lock, try_again);
  }
  return true;
}

void account::add(const shape_delta& delta) {
  std::vector<std::uint64_t> evicted;
  if (!await_memory_for([&] { evicted = digest_.add(delta); })) return;
  std::ranges::sort(evicted);
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    sink& to = sinks_[i]->of();
    bool asks = false;
    (void)await_memory_for([&] { asks = to.accept(delta); });
    if (!evicted.empty() && to.note_evicted(evicted)) asks = true;
    if (asks) asks_[i] = true;
  }
}

bool account::wait_until_added(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock{mutex_};
  return has_added_.wait_until(lock, deadline,
                               [this, all = handed_over_] { return added_ >= all; });
}

void account::close() {
  {
    const std::lock_guard lock{mutex_};
    is_closing_ = true;
  }
  wake_.notify_one();
  const std::lock_guard lock{join_mutex_};
  if (!thread_.joinable()) return;
  thread_.join();
  for (sink_thread* const each : sinks_) each->end_soon();
}

}  // namespace scattergate::telemetry
