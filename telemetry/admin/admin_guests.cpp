#include "telemetry/admin/admin_guests.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <sys/eventfd.h>

namespace scattergate::telemetry {

spare_descriptors::spare_descriptors(std::size_t count) {
  held_.reserve(count);
  refill();
}

bool spare_descriptors::release() noexcept {
  if (held_.empty()) return false;
  for (std::size_t i = 0; i < per_answer && !held_.empty(); ++i) {
    held_.pop_back();
  }
  return true;
}

void spare_descriptors::refill() noexcept {
  while (held_.size() < held_.capacity()) {
    net::unique_fd least{::eventfd(0, EFD_CLOEXEC)};  // the cheapest kind of descriptor
    if (!least) return;
    held_.push_back(std::move(least));
  }
}

admin_guests::handle admin_guests::add(std::string peer, std::function<void()> close_socket,
                                       std::function<bool()> has_left) {
  while (guests_.size() >= max_guests_ && make_room()) {
  }
  guests_.push_back({std::move(peer), std::move(close_socket), std::move(has_left)});
  return std::prev(guests_.end());
}

std::size_t admin_guests::connections_of(const std::string& peer) const {
  return static_cast<std::size_t>(std::count_if(
      guests_.begin(), guests_.end(), [&](const guest& each) { return each.peer == peer; }));
}

bool admin_guests::make_room() {
  auto chosen = guests_.end();
  std::size_t most = 0;
  for (auto each = guests_.begin(); each != guests_.end(); ++each) {
    const std::size_t connections = connections_of(each->peer);
    const bool is_better = chosen == guests_.end() || connections > most ||
                           (connections == most && each->now < chosen->now);
    if (!is_better) continue;
    chosen = each;
    most = connections;
  }
  if (chosen == guests_.end()) chosen = listeners_.begin();  // there are only listeners
  if (chosen == listeners_.end()) return false;
  close_for_others(chosen);
  return true;
}

/// Makes room for another listener of `peer`, if at most `most` listeners may satisfy `is_one`.
/// Returns false if there is no room.
bool admin_guests::make_place(const std::string& peer, std::size_t most,
                              bool (*is_one)(const guest&)) {
  std::size_t count = 0;
  std::map<std::string_view, std::size_t> by_peer;
  for (const guest& each : listeners_) {
    if (!is_one(each)) continue;
    ++count;
    ++by_peer[each.peer];
  }
  if (count < most) return true;
  const auto greedy =
      std::ranges::max_element(by_peer, {}, [](const auto& each) { return each.second; });
  if (by_peer[peer] + 2 > greedy->second) return false;
  const auto newest = std::find_if(
      listeners_.rbegin(), listeners_.rend(),
      [&](const guest& each) { return is_one(each) && each.peer == greedy->first; });
  close_for_others(std::prev(newest.base()));
  return true;
}

bool admin_guests::listen(handle connection, stream to) {
  if (connection->is_closed) return false;
  if (listeners_.size() >= max_tap_listeners) close_departed_listeners();
  const auto is_of_tap = +[](const guest& each) { return each.listens == stream::tap; };
  const auto is_any = +[](const guest&) { return true; };
  if (to == stream::tap && !make_place(connection->peer, max_tap_listeners, is_of_tap))
    return false;
  if (!make_place(connection->peer, max_listeners, is_any)) return false;
  connection->listens = to;
  listeners_.splice(listeners_.end(), guests_, connection);
  return true;
}

/// Closes the connections of listeners whose peers have left. Nothing is written to quiet
/// listeners, so only this check notices it.
void admin_guests::close_departed_listeners() {
  for (auto each = listeners_.begin(); each != listeners_.end();) {
    const auto one = each++;
    if (one->has_left()) close(one);
  }
}

void admin_guests::dismiss_listeners() {
  while (!listeners_.empty()) close(listeners_.begin());
}

void admin_guests::close(handle connection) {
  connection->is_closed = true;
  connection->answer.reset();
  leaving_.splice(leaving_.end(), connection->listens != stream::none ? listeners_ : guests_,
                  connection);
  connection->close_socket();
}

void admin_guests::close_for_others(handle connection) {
  ++closed_count_;
  close(connection);
}

void admin_guests::remove(handle connection) {
  const bool listens = connection->listens != stream::none;
  (connection->is_closed ? leaving_ : listens ? listeners_ : guests_).erase(connection);
}

void admin_guests::reply_begun(handle connection, std::shared_ptr<const admin_reply> answer) {
  if (connection->is_closed) return;
  connection->answer = std::move(answer);
  guests_.splice(guests_.end(), guests_, connection);  // keeps them ordered by the start of
                                                       // their answers
}

void admin_guests::close_slowest() {
  const auto slowest =
      std::ranges::find_if(guests_, [](const guest& each) { return each.answer != nullptr; });
  if (slowest != guests_.end()) close_for_others(slowest);
}

void admin_guests::reply_sent(handle connection) {
  connection->answer.reset();
  connection->now = state::idle;
  if (!connection->is_closed) guests_.splice(guests_.end(), guests_, connection);
}

}  // namespace scattergate::telemetry
