#include "proxy/throttle/fair_queue.hpp"

#include <iterator>
#include <utility>

namespace scattergate::proxy {

fair_queue::line& fair_queue::line_of(std::string_view client) {
  const auto known = by_client_.find(client);
  if (known != by_client_.end()) return *known->second;
  lines_.emplace_back().client = client;
  line& made = lines_.back();
  try {
    by_client_.emplace(made.client, std::prev(lines_.end()));
    by_length_.insert(&made);
  } catch (...) {
    by_client_.erase(made.client);
    lines_.pop_back();
    throw;
  }
  return made;
}

void fair_queue::set_waiters(line& of, std::size_t waiters) noexcept {
  auto place = by_length_.extract(&of);
  of.waiters = waiters;
  by_length_.insert(std::move(place));
}

void fair_queue::end(line& empty) noexcept {
  by_length_.erase(&empty);
  const auto known = by_client_.find(empty.client);
  const auto at = known->second;
  by_client_.erase(known);
  lines_.erase(at);
}

void fair_queue::push(waiter& last, std::string_view client) {
  line& to = line_of(client);
  last.in_ = &to;
  last.before_ = to.last;
  last.behind_ = nullptr;
  (to.last != nullptr ? to.last->behind_ : to.first) = &last;
  to.last = &last;
  set_waiters(to, to.waiters + 1);
  ++size_;
}

void fair_queue::pop() noexcept {
  const bool has_more = lines_.front().waiters > 1;
  remove(*lines_.front().first);
  if (has_more) lines_.splice(lines_.end(), lines_, lines_.begin());
}

void fair_queue::remove(waiter& gone) noexcept {
  line& from = *std::exchange(gone.in_, nullptr);
  (gone.before_ != nullptr ? gone.before_->behind_ : from.first) = gone.behind_;
  (gone.behind_ != nullptr ? gone.behind_->before_ : from.last) = gone.before_;
  --size_;
  from.waiters > 1 ? set_waiters(from, from.waiters - 1) : end(from);
}

fair_queue::waiter* fair_queue::displaced_by(std::string_view client) const noexcept {
  if (by_length_.empty()) return nullptr;
  const auto known = by_client_.find(client);
  const std::size_t has = known != by_client_.end() ? known->second->waiters : 0;
  const line& longest = **by_length_.begin();
  return has + 1 < longest.waiters ? longest.last : nullptr;
}

}  // namespace scattergate::proxy
