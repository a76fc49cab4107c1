#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"
#include "net/socket_address.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// Whether connections may use an upstream_address.
enum class standing : std::uint8_t {
  open,      ///< connections may use it
  draining,  ///< its connections close when they are idle
  closed,    ///< its connections must close
};

/// An address of one of the names of a listener's mongos: one mongos process, with its own
/// cursors, health and connections. Thread-safety: any thread.
class upstream_address {
 public:
  using clock = std::chrono::steady_clock;

  /// `counts`: the counts of the name; never null.
  upstream_address(net::endpoint name, const net::socket_address& address,
                   std::shared_ptr<telemetry::upstream_facts> counts);

  /// The configured name, whose host mongos's certificate must match.
  [[nodiscard]] const net::endpoint& name() const noexcept { return name_; }
  /// The address to connect to.
  [[nodiscard]] const net::socket_address& address() const noexcept { return address_; }
  /// The text for logs: the name, and the host's address if the name isn't one itself, such as
  /// "mongos:27017 (10.0.0.3)".
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// The name's counts.
  [[nodiscard]] const std::shared_ptr<telemetry::upstream_facts>& counts() const noexcept {
    return counts_;
  }
  /// The address's state, for metrics and the page.
  [[nodiscard]] const std::shared_ptr<telemetry::address_facts>& facts() const noexcept {
    return facts_;
  }

  [[nodiscard]] proxy::standing standing() const noexcept { return standing_.load(); }
  void set_standing(proxy::standing to) noexcept;

  /// Whether the address has left the name server's answer or the configuration.
  [[nodiscard]] bool is_gone() const noexcept { return is_gone_.load(); }
  void set_gone(bool is_gone) noexcept { is_gone_ = is_gone; }

  /// The listener's preference for this address with upstream_choice::spread: the highest comes
  /// first.
  [[nodiscard]] std::uint64_t preference() const noexcept { return preference_.load(); }
  void set_preference(std::uint64_t to) noexcept { preference_ = to; }

  /// Records the result of a health check. `why`: why it has failed; empty if it has passed.
  void set_health(telemetry::upstream_health found, std::string why);
  /// Why the last health check has failed; empty if it has passed, or none has ended.
  [[nodiscard]] std::string why_failing() const;
  [[nodiscard]] telemetry::upstream_health health() const noexcept {
    return facts_->health.load();
  }
  /// Records that a connection has failed: the address is suspect for ten seconds, or until it
  /// passes a health check.
  void note_failed_connection(clock::time_point now) noexcept;
  /// Whether the last health check has failed, or a connection since. A search tries suspect
  /// addresses last.
  [[nodiscard]] bool is_suspect(clock::time_point now) const noexcept;

 private:
  const net::endpoint name_;
  const net::socket_address address_;
  const std::string text_;
  const std::shared_ptr<telemetry::upstream_facts> counts_;
  const std::shared_ptr<telemetry::address_facts> facts_;
  std::atomic<proxy::standing> standing_{standing::open};
  std::atomic<bool> is_gone_{false};
  std::atomic<std::uint64_t> preference_{0};
  std::atomic<clock::rep> suspect_until_{0};  // a time of `clock`
  mutable std::mutex mutex_;
  std::string why_failing_;  // guarded by mutex_
};

/// A shared upstream_address; null: none.
using upstream_address_ptr = std::shared_ptr<upstream_address>;

/// A connection's use of an upstream_address: counts the connection while this object lives.
/// Thread-safety: one thread.
class upstream_use {
 public:
  upstream_use() noexcept = default;  ///< uses nothing
  explicit upstream_use(upstream_address_ptr of) noexcept;
  ~upstream_use();
  upstream_use(upstream_use&& from) noexcept : of_(std::move(from.of_)) {}
  upstream_use& operator=(upstream_use&& from) noexcept {
    std::swap(of_, from.of_);
    return *this;
  }

  explicit operator bool() const noexcept { return of_ != nullptr; }
  [[nodiscard]] const upstream_address_ptr& operator*() const noexcept { return of_; }
  upstream_address* operator->() const noexcept { return of_.get(); }

 private:
  upstream_address_ptr of_;
};

// The order in which a listener uses the addresses of its mongos.

/// The preference of `chooser` (a listener of a host) for a mongos, by rendezvous hashing: a
/// mongos that leaves or joins changes the first choice of those alone that had, or will have,
/// this mongos as their first choice. The same in every process and version.
[[nodiscard]] std::uint64_t preference_of(std::string_view chooser,
                                          std::string_view mongos) noexcept;

/// The addresses that a listener uses if all is well. Of a name with IPv4 and IPv6 addresses,
/// which mostly belong to the same mongos, these are the addresses of one version: the version
/// of the first one that isn't suspect. If all are suspect, these are all addresses.
/// REQUIRES: the addresses of a name are neighbours, in the name server's order.
[[nodiscard]] std::vector<upstream_address_ptr> eligible(
    const std::vector<upstream_address_ptr>& all, upstream_address::clock::time_point now);

/// All addresses, in the order in which a search tries them: those without failures first, then
/// the eligible ones, then by `choice`. REQUIRES: the same as eligible().
[[nodiscard]] std::vector<upstream_address_ptr> in_order(
    const std::vector<upstream_address_ptr>& all, config::upstream_choice choice,
    upstream_address::clock::time_point now);

/// How long a listener waits before it returns to the mongos that it prefers: from `least` to
/// twice as long. Differs for each `chooser`, so that the sidecars of a fleet return one after
/// the other, and for each of its returns (`count`).
[[nodiscard]] std::chrono::milliseconds return_delay(std::string_view chooser,
                                                     std::uint64_t count,
                                                     std::chrono::milliseconds least) noexcept;

}  // namespace scattergate::proxy
