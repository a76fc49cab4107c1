#include "proxy/upstream/upstream_troubles.hpp"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "net/failing_memory.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::condition_kind;

std::string joined(const std::vector<net::endpoint>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + to_string(name);
  return text;
}

}  // namespace

upstream_troubles::upstream_troubles(const std::vector<net::endpoint>& names,
                                     std::string listener, boost::asio::io_context& control,
                                     telemetry::condition_board* conditions)
    : names_(names),
      control_(control),
      conditions_(conditions),
      all_names_(joined(names)),
      listener_(std::move(listener)),
      fails_checks_(names.size()),
      is_silent_(names.size()) {}

template <typename Task>
void upstream_troubles::on_control(Task task) {
  if (conditions_ != nullptr) boost::asio::post(control_, std::move(task));
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

void upstream_troubles::note_check(std::size_t name, std::string failure) {
  note(condition_kind::upstream_failing, name, fails_checks_, std::move(failure));
}

void upstream_troubles::note_silence(std::size_t name, std::string why) {
  note(condition_kind::upstream_silent, name, is_silent_, std::move(why));
}

/// Raises or ends a condition of one mongos. `has_failed`: by name index, whether it is raised.
/// `why`: the detail; empty: ends it.
void upstream_troubles::note(condition_kind kind, std::size_t name,
                             std::vector<bool>& has_failed, std::string why) {
  if (why.empty() && !has_failed[name]) return;
  has_failed[name] = !why.empty();
  on_control([this, kind, named = to_string(names_[name]) + ", behind " + listener_,
              why = std::move(why)] {
    const telemetry::condition_subject subject{named, listener_};
    if (why.empty()) {
      conditions_->clear(kind, subject);
    } else {
      conditions_->raise(kind, subject, why);
    }
  });
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
      conditions_->clear(condition_kind::upstream_tls_failing, {to_string(name), listener_});
    }
  });
}

}  // namespace scattergate::proxy
