#include "proxy/throttle/throttle.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace scattergate::proxy {
namespace {

using nanoseconds = std::chrono::nanoseconds;

}  // namespace

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

std::vector<std::shared_ptr<throttle>> throttle_register::renew(
    std::span<const config::rule> rules, throttle::clock::time_point now) {
  auto before = std::exchange(by_name_, {});
  std::vector<std::shared_ptr<throttle>> made(rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const config::rule& rule = rules[i];
    if (rule.action != config::rule_action::throttle || rule.dry_run) continue;
    // A rule in the catalog may have the same name as one in the rules file, which precedes it.
    // Only the first one keeps its throttle over reloads.
    if (const auto known = by_name_.find(rule.name); known != by_name_.end()) {
      made[i] = std::make_shared<throttle>(rule.throttle, now);
      continue;
    }
    if (auto old = before.extract(rule.name)) {
      made[i] = std::move(old.mapped());
      made[i]->set_limits(rule.throttle, now);
    } else {
      made[i] = std::make_shared<throttle>(rule.throttle, now);
    }
    by_name_.emplace(rule.name, made[i]);
  }
  for (const auto& [name, gone] : before) gone->admit_all(now);
  return made;
}

throttle::throttle(const config::throttle_limits& limits, clock::time_point now)
    : limits_(limits), credit_(most(limits.burst)), earned_at_(now) {}

throttle::units throttle::token() const noexcept {
  return nanoseconds{limits_.per}.count();
}

throttle::units throttle::most(std::size_t tokens) const noexcept {
  return static_cast<units>(tokens) * token();
}

bool throttle::has_room() const noexcept {
  if (is_open_) return true;
  const bool has_token = limits_.rate == 0 || credit_ >= token();
  return has_token && (limits_.concurrency == 0 || under_way_ < limits_.concurrency);
}

void throttle::take_one() noexcept {
  if (limits_.rate != 0 && !is_open_) credit_ -= token();
  ++under_way_;
}

/// Adds the tokens earned since the last call: up to the burst, plus one for each waiter.
void throttle::earn(clock::time_point now) noexcept {
  if (now <= earned_at_) return;
  const nanoseconds passed = now - std::exchange(earned_at_, now);
  if (limits_.rate == 0) return;
  const units room = std::max<units>(most(limits_.burst + queue_.size()) - credit_, 0);
  const bool is_filled = passed.count() > room / units{limits_.rate};
  credit_ += is_filled ? room : passed.count() * units{limits_.rate};
}

void throttle::admit_waiters() noexcept {
  const place* const was_first = first();
  while (!queue_.is_empty() && has_room()) {
    place& next = *first();
    queue_.pop();
    take_one();
    waker* const owner = next.owner_;
    next.turn(place::state::admitted);
    owner->wake();
  }
  credit_ = std::min(credit_, most(limits_.burst));
  if (first() != was_first) wake_first();
}

void throttle::wake_first() noexcept {
  if (queue_.is_empty()) return;
  first()->turn(place::state::first);
  first()->owner_->wake();
}

throttle::entry_result throttle::enter(place& at, waker& owner, clock::time_point now,
                                       std::string_view client) {
  const std::lock_guard lock{mutex_};
  earn(now);
  admit_waiters();
  if (queue_.is_empty() && has_room()) {
    take_one();
    return entry_result::admitted;
  }
  if (limits_.queue == 0 || limits_.wait.count() == 0) return entry_result::full;
  place* displaced = nullptr;
  if (queue_.size() >= limits_.queue) {
    displaced = static_cast<place*>(queue_.displaced_by(client));
    if (displaced == nullptr) return entry_result::full;
  }
  queue_.push(at, client);
  at.owner_ = &owner;
  at.turn(first() == &at ? place::state::first : place::state::behind);
  if (displaced == nullptr) return entry_result::waits;
  // The displaced place isn't the first one: its client has waiters in front of it.
  queue_.remove(*displaced);
  waker* const loser = displaced->owner_;
  displaced->turn(place::state::displaced);
  loser->wake();
  return entry_result::waits;
}

bool throttle::leave(place& at, clock::time_point now) {
  const std::lock_guard lock{mutex_};
  if (at.is_admitted()) return true;
  if (at.is_displaced()) return false;
  const bool was_first = first() == &at;
  queue_.remove(at);
  if (was_first) wake_first();
  earn(now);
  admit_waiters();
  return false;
}

void throttle::release() {
  const std::lock_guard lock{mutex_};
  --under_way_;
  // If there is a slot but no token, the first place's owner checks again at next_look().
  admit_waiters();
}

std::optional<throttle::clock::time_point> throttle::next_look(clock::time_point now) {
  const std::lock_guard lock{mutex_};
  earn(now);
  admit_waiters();
  const bool is_due = !queue_.is_empty() && limits_.rate != 0 && credit_ < token();
  if (!is_due) return std::nullopt;
  const units missing = token() - credit_;
  return now + nanoseconds{(missing + units{limits_.rate} - 1) / units{limits_.rate}};
}

void throttle::set_limits(const config::throttle_limits& limits, clock::time_point now) {
  const std::lock_guard lock{mutex_};
  if (limits == limits_ && !is_open_) return;
  earn(now);
  admit_waiters();
  // Keeps the number of whole tokens. If there was no rate before, the bucket is full.
  const std::size_t tokens =
      limits_.rate == 0 ? limits.burst : static_cast<std::size_t>(credit_ / token());
  limits_ = limits;
  credit_ = most(std::min<std::size_t>(tokens, limits.burst));
  is_open_ = false;
  earn(now);
  admit_waiters();
}

void throttle::admit_all(clock::time_point now) {
  const std::lock_guard lock{mutex_};
  is_open_ = true;
  earn(now);
  admit_waiters();
}

std::chrono::milliseconds throttle::longest_wait() const {
  const std::lock_guard lock{mutex_};
  return limits_.wait;
}

std::size_t throttle::waiting() const {
  const std::lock_guard lock{mutex_};
  return queue_.size();
}

std::size_t throttle::under_way() const {
  const std::lock_guard lock{mutex_};
  return under_way_;
}

}  // namespace scattergate::proxy
