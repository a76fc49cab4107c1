#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <boost/system/result.hpp>

#include "net/asio_forward.hpp"
#include "net/endpoint.hpp"
#include "net/socket_address.hpp"
#include "proxy/upstream/upstream_address.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// Resolves a host name on a thread of its own, because getaddrinfo() may block for a long
/// time and can't be interrupted. Thread-safety: construct and destroy it on one thread.
class name_lookup {
 public:
  /// The addresses in the resolver's order, or the resolver's error.
  using answer = boost::system::result<std::vector<net::socket_address>>;
  /// Receives the result of the lookup.
  using handler = std::function<void(answer)>;

  /// Calls `on_found` once, on the new thread, unless this object is destroyed first. If no
  /// thread can be created, calls `on_found` with an error in this constructor.
  name_lookup(const net::endpoint& name, handler on_found);

  /// Doesn't wait for the thread. If the thread is still running, counts it in
  /// config::threads_left.
  ~name_lookup();

  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

 private:
  struct shared;
  std::shared_ptr<shared> shared_;  // shared with the thread
};

/// The addresses of a listener's mongos. Resolves each configured name again every ten seconds,
/// and at once if asked: new addresses join, and addresses that have left the name server's
/// answer are marked as gone. If a name can't be resolved, its known addresses stay.
/// Thread-safety: the control thread, unless a function states otherwise.
class address_book {
 public:
  using clock = upstream_address::clock;
  /// Called when a name server has answered or failed.
  using change_handler = std::function<void()>;

  /// The maximum number of addresses per name; the others are counted, and not used.
  static constexpr std::size_t most_addresses = 32;

  /// `chooser`: a text that differs for each host and listener, for the addresses' preferences.
  /// `control`: the control thread's context; both references must outlive this object.
  address_book(std::string chooser, boost::asio::io_context& control,
               telemetry::listener_facts& facts, change_handler on_change);
  ~address_book();

  /// Replaces the configured names. Known names keep their addresses.
  void use_names(const std::vector<net::endpoint>& names);
  /// The configured names. Any thread may call it.
  [[nodiscard]] std::vector<net::endpoint> names() const;

  /// The addresses that connections may use, in the order of the names, then of the name
  /// server's answer. Any thread may call it.
  [[nodiscard]] std::vector<upstream_address_ptr> addresses() const;
  /// The gone addresses that still have connections, or that tick() keeps. Any thread may call
  /// it.
  [[nodiscard]] std::vector<upstream_address_ptr> leaving() const;

  /// A name without a known address.
  struct unresolved_name {
    std::string name;
    std::string why;  ///< why it has none, in words
  };
  /// The names that have no known address, because the last attempt to resolve them has failed.
  /// Any thread may call it.
  [[nodiscard]] std::vector<unresolved_name> unresolved() const;

  /// Resolves a name at once; all names if `name` is null. Does nothing for a name whose last
  /// answer is less than a second old. Any thread may call it.
  void refresh(std::shared_ptr<const net::endpoint> name = nullptr);
  /// Whether a name server hasn't answered yet, and give_up_waiting() wasn't called since the
  /// request. `is_first`: considers only names without a known address.
  [[nodiscard]] bool is_waiting(bool is_first) const;
  /// Records that the name servers that is_waiting() waits for don't answer in time. Their
  /// answers still count if they come.
  void give_up_waiting(bool is_first);

  /// Resolves the names that are due, and forgets gone addresses without connections, except
  /// `kept`. Call it about twice per second.
  void tick(clock::time_point now, const upstream_address_ptr& kept);
  /// Shows the addresses in metrics and on the page. Any thread may call it.
  void show(clock::time_point now) const;

 private:
  struct entry;

  void look_up(const std::shared_ptr<entry>& of);
  void take(entry& of, const name_lookup::answer& found);
  void fail(entry& of, std::string why);
  void set_addresses(entry& of, std::vector<net::socket_address> found);
  void set_preferences(const entry& of) const;
  void drop(const std::vector<upstream_address_ptr>& addresses);
  [[nodiscard]] upstream_address_ptr known(entry& of, const net::socket_address& at);

  std::string chooser_;
  boost::asio::io_context& control_;
  telemetry::listener_facts& facts_;
  change_handler on_change_;
  mutable std::mutex mutex_;                     // held for changes, and by other threads
  std::vector<std::shared_ptr<entry>> entries_;  // guarded by mutex_
  std::vector<upstream_address_ptr> leaving_;    // guarded by mutex_
};

}  // namespace scattergate::proxy
