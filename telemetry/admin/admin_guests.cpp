#include "telemetry/admin/admin_guests.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace scattergate::telemetry {

admin_guests::handle admin_guests::add(std::string peer, std::function<void()> cut) {
  while (guests_.size() >= max_guests_ && make_room()) {
  }
  guests_.push_back({std::move(peer), std::move(cut), state::silent, nullptr, false, false});
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
  if (chosen == guests_.end()) chosen = listeners_.begin();  // nobody asks: they have it all
  if (chosen == listeners_.end()) return false;
  ++cuts_;
  cut(chosen);
  return true;
}

bool admin_guests::listen(handle by) {
  if (by->is_cut || listeners_.size() >= max_listeners) return false;
  by->listens = true;
  listeners_.splice(listeners_.end(), guests_, by);
  return true;
}

void admin_guests::dismiss_listeners() {
  while (!listeners_.empty()) cut(listeners_.begin());
}

void admin_guests::cut(handle who) {
  who->is_cut = true;
  who->answer.reset();
  leaving_.splice(leaving_.end(), who->listens ? listeners_ : guests_, who);
  who->cut();
}

void admin_guests::remove(handle gone) {
  (gone->is_cut ? leaving_ : gone->listens ? listeners_ : guests_).erase(gone);
}

std::size_t admin_guests::bytes_beside(const admin_reply* newest) const {
  std::set<const admin_reply*> counted{newest};
  std::size_t bytes = 0;
  for (const guest& each : guests_) {
    if (!each.answer || !counted.insert(each.answer.get()).second) continue;
    bytes += each.answer->body.size();
  }
  return bytes;
}

void admin_guests::answer(handle by, std::shared_ptr<const admin_reply> answer) {
  if (by->is_cut) return;
  by->answer = std::move(answer);
  guests_.splice(guests_.end(), guests_, by);  // so they stand in the order of their answers
  while (bytes_beside(by->answer.get()) > max_answer_bytes_) {
    ++cuts_;
    cut(std::find_if(guests_.begin(), guests_.end(),
                     [](const guest& each) { return each.answer != nullptr; }));
  }
}

void admin_guests::answered(handle by) {
  by->answer.reset();
  by->now = state::idle;
  if (!by->is_cut) guests_.splice(guests_.end(), guests_, by);
}

}  // namespace scattergate::telemetry
