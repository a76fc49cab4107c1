#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/endpoint.hpp"
#include "net/socket_address.hpp"
#include "net/unique_fd.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "proxy/upstream/name_lookup.hpp"
#include "proxy/upstream/upstream_troubles.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// The failure category of an errno from a connection to a mongos.
[[nodiscard]] telemetry::upstream_failure failure_of(int error) noexcept;

/// The mongos behind one listener. All connections use one target, the pinned one, because
/// drivers break if cursors and transactions behind one address are spread over several mongos.
/// The first address that answers is pinned; when it can't be reached any more, the names are
/// tried again in order, and connections to the old target must close. Thread-safety: any
/// thread.
class upstream {
 public:
  /// One address of one of the names.
  struct target {
    net::socket_address address;
    std::size_t name = 0;  ///< index into names()
    friend bool operator==(const target& a, const target& b) noexcept {
      return a.name == b.name && a.address == b.address;
    }
  };

  /// The result of connect(): a connected, non-blocking socket, or none.
  struct found {
    net::unique_fd socket;
    target to;
    bool is_out_of_resources = false;  ///< this process or host is out of descriptors, ports or
                                       ///< memory
    std::string why;                   ///< each unreachable name, with its error
  };

  /// Callbacks run on `control`. REQUIRES: at least one name.
  upstream(std::vector<net::endpoint> names, boost::asio::io_context& control,
           telemetry::listener_facts& facts, telemetry::condition_board* conditions = nullptr)
      : names_(std::move(names)),
        control_(control),
        facts_(facts),
        troubles_(names_, facts.address, control, conditions) {}

  [[nodiscard]] const std::vector<net::endpoint>& names() const noexcept { return names_; }
  [[nodiscard]] cursor_table& cursors() noexcept { return cursors_; }

  /// The pinned target; std::nullopt if there is none.
  [[nodiscard]] std::optional<target> pinned() const;
  /// Whether another target than `mine` is pinned, so that connections to `mine` must close.
  [[nodiscard]] bool has_left(const target& mine) const;
  /// A shared copy of `used`: connections with the same target share one, to save memory.
  [[nodiscard]] std::shared_ptr<const target> shared(const target& used);
  /// Pins `candidate` unless another target is pinned; returns the pinned one. `why`: the
  /// errors of targets tried before, for the log.
  target pin(const target& candidate, std::string_view why = {});
  /// Unpins `unreachable` if it is pinned.
  void unpin(const target& unreachable);

  /// Pins `to`, unless a target other than `from` is pinned. `why`: the reason, for the log.
  void fail_over(const target& from, const target& to, std::string_view why);

  /// Records that connecting timed out after `waited`, without an answer from mongos or a name
  /// server.
  void note_timeout(std::chrono::seconds waited);
  [[nodiscard]] upstream_troubles& troubles() noexcept { return troubles_; }

  [[nodiscard]] telemetry::listener_facts& facts() noexcept { return facts_; }

  /// Records the result of a name's health check. Failed names are tried last.
  void suspect(std::size_t name, bool is_failing);
  /// Whether a name's last health check failed.
  [[nodiscard]] bool is_suspect(std::size_t name) const;

  /// Resolves a name for the running search. Calls `on_found` on `control`, unless this object
  /// is destroyed first.
  void look_up(const net::endpoint& name, name_lookup::handler on_found);

  using found_handler = std::function<void(found)>;

  /// Connects to the pinned target, or else to the first reachable address, which becomes
  /// pinned. Concurrent calls share one search, so that a slow name server is asked only once.
  /// Calls `on_found` once, on `control`.
  void connect(found_handler on_found);

 private:
  // REQUIRES: mutex_ is held.
  [[nodiscard]] std::optional<std::size_t> switch_to(const target& chosen);
  void log_change(std::optional<std::size_t> from, std::size_t to, std::string_view why) const;
  void deliver(found result);
  void follow(const target& to, found_handler on_found);

  std::vector<net::endpoint> names_;
  boost::asio::io_context& control_;
  telemetry::listener_facts& facts_;
  upstream_troubles troubles_;
  cursor_table cursors_;
  mutable std::mutex mutex_;
  std::optional<target> pinned_;
  std::optional<target> last_pinned_;
  std::shared_ptr<const target> shared_;  // the last result of shared()
  std::set<std::size_t> suspects_;
  std::vector<found_handler> waiting_;   // for the running search; used on control_ only
  std::unique_ptr<name_lookup> lookup_;  // for the running search; used on control_ only
};

}  // namespace scattergate::proxy
