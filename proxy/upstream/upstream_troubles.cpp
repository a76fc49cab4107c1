#include "proxy/upstream/upstream_troubles.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "net/failing_memory.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::condition_kind;

std::vector<std::string> texts(const std::vector<net::endpoint>& names) {
  std::vector<std::string> all;
  for (const auto& name : names) all.push_back(to_string(name));
  return all;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

upstream_troubles::upstream_troubles(const std::vector<net::endpoint>& names,
                                     std::string listener, boost::asio::io_context& control,
                                     telemetry::condition_board* conditions)
    : control_(control),
      conditions_(conditions),
      names_(texts(names)),
      all_names_(joined(names_)),
      listener_(std::move(listener)) {}

template <typename Task>
void upstream_troubles::on_control(Task task) {
  if (conditions_ != nullptr) boost::asio::post(control_, std::move(task));
}

void upstream_troubles::use_names(const std::vector<net::endpoint>& names) {
  const auto before = std::exchange(names_, texts(names));
  const std::string all_before = std::exchange(all_names_, joined(names_));
  if (conditions_ == nullptr || all_before == all_names_) return;
  is_unreachable_ = false;
  conditions_->clear(condition_kind::upstream_unreachable, {all_before, listener_});
  for (const std::string& name : before) {
    if (std::ranges::find(names_, name) != names_.end()) continue;
    conditions_->clear(condition_kind::upstream_tls_failing, {name, listener_});
  }
}

void upstream_troubles::note_unreachable(std::string why, std::uint64_t connections) {
  is_unreachable_ = true;
  on_control([this, why = std::move(why), connections] {
    // A mongos may have become reachable meanwhile.
    if (!is_unreachable_) return;
    conditions_->raise(condition_kind::upstream_unreachable, {all_names_, listener_}, why,
                       connections);
  });
}

void upstream_troubles::note_reached() {
  if (!is_unreachable_.exchange(false)) return;
  on_control([this] {
    conditions_->clear(condition_kind::upstream_unreachable, {all_names_, listener_});
  });
}

void upstream_troubles::note_connected() {
  if (is_unreachable_.load(std::memory_order_relaxed) && !has_checks_) note_reached();
}

void upstream_troubles::note_check(const std::string& mongos, std::string failure) {
  note(condition_kind::upstream_failing, failing_, mongos, std::move(failure));
}

void upstream_troubles::note_silence(const std::string& mongos, std::string why) {
  note(condition_kind::upstream_silent, silent_, mongos, std::move(why));
}

/// Raises or ends a condition of one mongos. `active`: the mongos for which it is raised.
/// `why`: the detail; empty: ends it.
void upstream_troubles::note(condition_kind kind, std::set<std::string>& active,
                             const std::string& mongos, std::string why) {
  if (why.empty() && active.erase(mongos) == 0) return;
  if (!why.empty()) active.insert(mongos);
  on_control([this, kind, named = mongos + ", behind " + listener_, why = std::move(why)] {
    const telemetry::condition_subject subject{named, listener_};
    if (why.empty()) {
      conditions_->clear(kind, subject);
    } else {
      conditions_->raise(kind, subject, why);
    }
  });
}

void upstream_troubles::keep_checks(const std::set<std::string>& of) {
  auto raised = failing_;
  raised.insert(silent_.begin(), silent_.end());
  for (const std::string& each : raised) {
    if (of.contains(each)) continue;
    note_check(each, {});
    note_silence(each, {});
  }
}

void upstream_troubles::note_tls_failure(const net::endpoint& name, std::string_view reason) {
  is_tls_failing_ = true;
  if (tls_failures_.fetch_add(1) != 0)
    return;  // a report is scheduled already, and will include this one
  const bool is_raised = net::done_unless_memory_fails([&] {
    on_control([this, name = to_string(name), reason = std::string{reason}] {
      conditions_->raise(condition_kind::upstream_tls_failing, {name, listener_}, reason,
                         tls_failures_.exchange(0));
    });
  });
  if (!is_raised) tls_failures_ = 0;
}

void upstream_troubles::note_tls_success() {
  if (!is_tls_failing_.load(std::memory_order_relaxed) || !is_tls_failing_.exchange(false)) {
    return;
  }
  on_control([this] {
    for (const auto& name : names_) {
      conditions_->clear(condition_kind::upstream_tls_failing, {name, listener_});
    }
  });
}

}  // namespace scattergate::proxy
