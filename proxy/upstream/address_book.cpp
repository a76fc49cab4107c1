#include "proxy/upstream/address_book.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "config/cluster/threads_left.hpp"
#include "net/network.hpp"
#include "proxy/process_signals.hpp"
#include "proxy/upstream/upstream_address.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
namespace log = telemetry::log;

/// The time between two lookups of a name; the system's resolver doesn't show the record's TTL.
constexpr std::chrono::seconds lookup_interval{10};
/// The same, while the name has no known address.
constexpr std::chrono::seconds unresolved_interval{2};
/// The minimum time between two lookups of a name.
constexpr std::chrono::seconds least_interval{1};
/// The minimum time between two log lines about a name.
constexpr std::chrono::minutes log_interval{1};

/// Whether a name is an address itself.
bool is_address(const net::endpoint& name) {
  return name.is_unix() || net::parse_ip_address(name.host).has_value();
}

}  // namespace

struct name_lookup::shared {
  std::mutex mutex;  // held while on_found is called
  handler on_found;  // null: cancelled, or called already

  void deliver(answer found) {
    const std::lock_guard lock(mutex);
    if (const handler done = std::exchange(on_found, nullptr)) done(std::move(found));
  }
};

name_lookup::name_lookup(const net::endpoint& name, handler on_found)
    : shared_(std::make_shared<shared>()) {
  shared_->on_found = std::move(on_found);
  try {
    std::thread{[name, shared = shared_] {
      block_process_signals();
      shared->deliver(net::resolve(name));
    }}.detach();
  } catch (const std::system_error& failure) {
    shared_->deliver(boost::system::error_code{failure.code()});
  }
}

name_lookup::~name_lookup() {
  const std::lock_guard lock(shared_->mutex);
  if (std::exchange(shared_->on_found, nullptr)) config::threads_left.fetch_add(1);
}

struct address_book::entry {
  explicit entry(net::endpoint named)
      : name(std::move(named)),
        counts(std::make_shared<telemetry::upstream_facts>(to_string(name))),
        is_fixed(is_address(name)) {}

  [[nodiscard]] bool is_due(clock::time_point now) const {
    const auto interval = addresses.empty() ? unresolved_interval : lookup_interval;
    return !is_fixed && !lookup && (!answered_at || now - *answered_at >= interval);
  }

  net::endpoint name;
  std::shared_ptr<telemetry::upstream_facts> counts;
  std::vector<upstream_address_ptr> addresses;
  std::string why_unresolved;           ///< why the last lookup failed; empty: it hasn't
  bool is_fixed;                        ///< the name is an address itself, and needs no lookup
  std::unique_ptr<name_lookup> lookup;  ///< the running one
  bool is_given_up = false;             ///< nothing waits for `lookup` any more
  std::optional<clock::time_point> answered_at;  ///< when the last lookup ended
  std::optional<clock::time_point> logged_at;
  bool is_log_due = false;  ///< a change hasn't been logged yet
};

address_book::address_book(std::string chooser, boost::asio::io_context& control,
                           telemetry::listener_facts& facts, change_handler on_change)
    : chooser_(std::move(chooser)),
      control_(control),
      facts_(facts),
      on_change_(std::move(on_change)) {}

address_book::~address_book() = default;

void address_book::use_names(const std::vector<net::endpoint>& names) {
  std::vector<std::shared_ptr<entry>> now;
  std::vector<std::shared_ptr<entry>> added;
  for (const net::endpoint& name : names) {
    const auto found = std::ranges::find(
        entries_, name, [](const auto& one) -> const auto& { return one->name; });
    now.push_back(found != entries_.end() ? *found : std::make_shared<entry>(name));
    if (found == entries_.end()) added.push_back(now.back());
  }
  {
    const std::lock_guard lock(mutex_);
    std::swap(entries_, now);
    for (const auto& old : now) {
      if (std::ranges::find(entries_, old) == entries_.end()) drop(old->addresses);
    }
  }
  for (const auto& each : added) {
    if (!each->is_fixed) continue;
    take(*each, net::resolve(each->name));
    each->is_fixed = !each->addresses.empty();
  }
  show(clock::now());
}

std::vector<net::endpoint> address_book::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<net::endpoint> all;
  for (const auto& each : entries_) all.push_back(each->name);
  return all;
}

std::vector<upstream_address_ptr> address_book::addresses() const {
  const std::lock_guard lock(mutex_);
  std::vector<upstream_address_ptr> all;
  for (const auto& each : entries_) {
    all.insert(all.end(), each->addresses.begin(), each->addresses.end());
  }
  return all;
}

std::vector<upstream_address_ptr> address_book::leaving() const {
  const std::lock_guard lock(mutex_);
  return leaving_;
}

std::vector<address_book::unresolved_name> address_book::unresolved() const {
  const std::lock_guard lock(mutex_);
  std::vector<unresolved_name> all;
  for (const auto& each : entries_) {
    if (!each->addresses.empty() || each->why_unresolved.empty()) continue;
    all.push_back({to_string(each->name), each->why_unresolved});
  }
  return all;
}

void address_book::refresh(std::shared_ptr<const net::endpoint> name) {
  asio::dispatch(control_, [this, name = std::move(name)] {
    const auto now = clock::now();
    for (const auto& each : entries_) {
      if (each->is_fixed || each->lookup || (name && *name != each->name)) continue;
      if (each->answered_at && now - *each->answered_at < least_interval) continue;
      look_up(each);
    }
  });
}

bool address_book::is_waiting(bool is_first) const {
  return std::ranges::any_of(entries_, [is_first](const auto& one) {
    return one->lookup && !one->is_given_up && (!is_first || one->addresses.empty());
  });
}

void address_book::give_up_waiting(bool is_first) {
  for (const auto& each : entries_) {
    const bool is_waiting = each->lookup && !each->is_given_up;
    if (!is_waiting || (is_first && !each->addresses.empty())) continue;
    each->is_given_up = true;
    fail(*each, "the name server doesn't answer");
  }
}

void address_book::look_up(const std::shared_ptr<entry>& of) {
  of->is_given_up = false;
  const std::weak_ptr<entry> asked = of;
  of->lookup =
      std::make_unique<name_lookup>(of->name, [this, asked](name_lookup::answer found) {
        asio::post(control_, [this, asked, found = std::move(found)] {
          const auto still = asked.lock();
          if (!still) return;  // a reload has removed the name
          still->lookup.reset();
          take(*still, found);
          on_change_();
        });
      });
}

/// Takes a name server's answer.
void address_book::take(entry& of, const name_lookup::answer& found) {
  of.answered_at = clock::now();
  if (!found) return fail(of, "the name can't be resolved: " + found.error().message());
  set_addresses(of, *found);
  show(*of.answered_at);
}

void address_book::fail(entry& of, std::string why) {
  of.counts->note(telemetry::upstream_failure::dns);
  of.counts->is_unresolved = true;
  const std::lock_guard lock(mutex_);
  of.why_unresolved = std::move(why);
}

void address_book::set_addresses(entry& of, std::vector<net::socket_address> found) {
  const auto is_known = [&of](const net::socket_address& at) {
    return std::ranges::any_of(of.addresses,
                               [&at](const auto& one) { return one->address() == at; });
  };
  // Name servers rotate their answers: of too many addresses, the known ones stay.
  const bool has_too_many = found.size() > most_addresses;
  if (has_too_many) std::ranges::stable_partition(found, is_known);
  std::vector<upstream_address_ptr> now;
  std::size_t left_out = 0;
  const bool is_first = of.addresses.empty() && !of.logged_at;
  const std::lock_guard lock(mutex_);
  for (const net::socket_address& at : found) {
    const bool is_twice =
        std::ranges::any_of(now, [&at](const auto& one) { return one->address() == at; });
    if (is_twice) continue;
    now.size() < most_addresses ? now.push_back(known(of, at)) : void(++left_out);
  }
  std::vector<upstream_address_ptr> gone;
  std::ranges::copy_if(of.addresses, std::back_inserter(gone), [&now](const auto& one) {
    return std::ranges::find(now, one) == now.end();
  });
  const bool has_changed = !gone.empty() || now.size() != of.addresses.size();
  drop(gone);
  of.addresses = std::move(now);
  of.why_unresolved.clear();
  of.counts->is_unresolved = false;
  of.counts->addresses_left_out = left_out;
  if (has_changed && !is_first) of.is_log_due = true;
  if (is_first) of.logged_at = clock::time_point{};
  set_preferences(of);
}

/// The address `at` of a name: the existing object, or a new one. REQUIRES: mutex_ is held.
upstream_address_ptr address_book::known(entry& of, const net::socket_address& at) {
  const auto is_it = [&](const upstream_address_ptr& one) {
    return one->address() == at && one->name() == of.name;
  };
  if (const auto found = std::ranges::find_if(of.addresses, is_it); found != of.addresses.end())
    return *found;
  if (const auto found = std::ranges::find_if(leaving_, is_it); found != leaving_.end()) {
    upstream_address_ptr back = std::move(*found);
    leaving_.erase(found);
    back->set_gone(false);
    return back;
  }
  return std::make_shared<upstream_address>(of.name, at, of.counts);
}

/// Marks addresses as gone. REQUIRES: mutex_ is held.
void address_book::drop(const std::vector<upstream_address_ptr>& addresses) {
  for (const upstream_address_ptr& each : addresses) {
    each->set_gone(true);
    leaving_.push_back(each);
  }
}

/// Sets the preferences of a name's addresses. The only address of a name is known by the name,
/// so that a new address is no new mongos.
void address_book::set_preferences(const entry& of) const {
  for (const upstream_address_ptr& each : of.addresses) {
    const auto alike = std::ranges::count_if(of.addresses, [&each](const auto& one) {
      return one->address().family() == each->address().family();
    });
    each->set_preference(
        preference_of(chooser_, alike == 1 ? to_string(of.name) : each->text()));
  }
}

void address_book::tick(clock::time_point now, const upstream_address_ptr& kept) {
  for (const auto& each : entries_) {
    if (each->is_due(now)) look_up(each);
    if (!each->is_log_due || now - *each->logged_at < log_interval) continue;
    std::string listed;
    for (const auto& one : each->addresses) {
      listed += (listed.empty() ? "" : ", ") + one->facts()->address;
    }
    log::write(log::severity::info, log::component::proxy, 1019,
               "The addresses of a mongos's name have changed",
               {{"upstream", to_string(each->name)},
                {"listener", facts_.address},
                {"addresses", std::move(listed)}});
    each->logged_at = now;
    each->is_log_due = false;
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(leaving_, [&kept](const upstream_address_ptr& one) {
      return one != kept && one->facts()->connections.load() == 0;
    });
  }
  show(now);
}

void address_book::show(clock::time_point now) const {
  using telemetry::upstream_health;
  std::vector<telemetry::upstream_entry> shown;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& each : entries_) {
      auto usual = eligible(each->addresses, now);
      const bool is_any_up = std::ranges::any_of(
          usual, [](const auto& one) { return one->health() == upstream_health::up; });
      // Until an address of one IP version works, those of both are of interest.
      if (!is_any_up) usual = each->addresses;
      telemetry::upstream_entry& of = shown.emplace_back();
      of.counts = each->counts;
      for (const auto& one : usual) of.addresses.push_back(one->facts());
    }
    for (const auto& one : leaving_) {
      const auto its =
          std::ranges::find(shown, one->counts(), &telemetry::upstream_entry::counts);
      // A name that a reload has removed is shown until its last connection has closed.
      telemetry::upstream_entry& of = its != shown.end() ? *its : shown.emplace_back();
      if (!of.counts) of.counts = one->counts();
      of.addresses.push_back(one->facts());
    }
  }
  facts_.show_upstreams(std::move(shown));
}

}  // namespace scattergate::proxy
