#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

/// The category of a failed connection to a mongos. `error`: the errno of the failed connect.
[[nodiscard]] telemetry::upstream_failure failure_of(int error) noexcept;

/// The mongos processes behind one listener. The configuration lists their names; a name may
/// have several addresses. All connections use one address, the pinned target, because each
/// mongos has its own cursors and transactions. The first address that accepts a connection is
/// pinned. When this address can no longer be reached, a search tries all names again in
/// order. If it pins another address, connections to the old address must close.
/// Thread-safety: any thread.
class upstream {
 public:
  /// An address of one of the names.
  struct target {
    net::socket_address address;
    std::size_t name = 0;  ///< index into names()
    friend bool operator==(const target& a, const target& b) noexcept {
      return a.name == b.name && a.address == b.address;
    }
  };

  /// The result of connect().
  struct found {
    net::unique_fd socket;             ///< connected and non-blocking; empty: connecting failed
    target to;                         ///< the address to which `socket` is connected;
                                       ///< meaningless if `socket` is empty
    bool is_out_of_resources = false;  ///< this process or host is out of descriptors, ports or
                                       ///< memory
    /// The names that couldn't be reached, with their errors; may be empty. Always empty for a
    /// call of connect() that shared the search of another call.
    std::string why;
  };

  /// `names`: the names of the mongos processes, in the order in which a search tries them.
  /// `control`: runs searches and callbacks. `conditions`: where problems are reported; null:
  /// nowhere. The references must outlive this object. REQUIRES: at least one name.
  upstream(std::vector<net::endpoint> names, boost::asio::io_context& control,
           telemetry::listener_facts& facts, telemetry::condition_board* conditions = nullptr)
      : names_(std::move(names)),
        control_(control),
        facts_(facts),
        troubles_(names_, facts.address, control, conditions) {}

  /// The names of the mongos processes, as configured.
  [[nodiscard]] const std::vector<net::endpoint>& names() const noexcept { return names_; }
  /// The open cursors of this listener's clients.
  [[nodiscard]] cursor_table& cursors() noexcept { return cursors_; }

  /// The pinned target, which all connections use; std::nullopt if there is none.
  [[nodiscard]] std::optional<target> pinned() const;
  /// The family of the address that the next connection will probably use, such as AF_INET.
  [[nodiscard]] int family() const;
  /// Whether a target other than `mine` is pinned. If so, connections to `mine` must close.
  [[nodiscard]] bool must_leave(const target& mine) const;
  /// A shared copy of `used`. Connections with the same target share one copy, to save memory.
  [[nodiscard]] std::shared_ptr<const target> shared(const target& used);
  /// Pins `candidate` if no target is pinned. Returns the target that is pinned afterwards.
  /// `why`: why the names tried before couldn't be reached, for the log.
  target pin(const target& candidate, std::string_view why = {});
  /// Unpins `unreachable` if it is pinned, so that the next connect() searches.
  void unpin(const target& unreachable);

  /// Pins `to` if `from` or no target is pinned; otherwise does nothing. `why`: why `from` is
  /// left, for the log.
  void fail_over(const target& from, const target& to, std::string_view why);

  /// Call it if a client's session got no connection to mongos within the time `waited`.
  /// Reports this as a problem, unless a target is pinned by then, or a mongos passes its
  /// health checks: then the search for it is in progress.
  void note_timeout(std::chrono::seconds waited);
  /// The object that reports problems with these mongos processes to the condition board.
  [[nodiscard]] upstream_troubles& troubles() noexcept { return troubles_; }

  /// The listener's counters.
  [[nodiscard]] telemetry::listener_facts& facts() noexcept { return facts_; }

  /// Records the result of a name's health check. In a search, names with a failed last check
  /// come after all other names. `name`: index into names(). `why`: why the check failed;
  /// empty: it passed.
  void suspect(std::size_t name, std::string why);
  /// Whether a name's last health check failed. `name`: index into names().
  [[nodiscard]] bool is_suspect(std::size_t name) const;

  /// Resolves a name for the running search. Only one name can be resolved at a time. Calls
  /// `on_found` on the control thread, unless this object is destroyed first.
  void look_up(const net::endpoint& name, name_lookup::handler on_found);

  /// Receives the result of connect().
  using found_handler = std::function<void(found)>;

  /// Connects to the pinned target. If there is none, or it can't be reached, connects to the
  /// first reachable address and pins it. Concurrent calls share one search, so that a slow
  /// name server gets one request for all calls. Calls `on_found` once, on the control thread;
  /// doesn't call it if memory runs out.
  void connect(found_handler on_found);

 private:
  // REQUIRES: mutex_ is held.
  [[nodiscard]] std::optional<std::size_t> switch_to(const target& chosen);
  // REQUIRES: mutex_ is held.
  [[nodiscard]] std::string why_left(std::size_t name, std::string_view why) const;
  [[nodiscard]] bool is_one_well() const;
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
  std::optional<target> last_pinned_;            // stays set when the target is unpinned
  std::shared_ptr<const target> shared_;         // the last result of shared()
  std::map<std::size_t, std::string> suspects_;  // the names whose last health check failed,
                                                 // with the reasons
  // Of the running search; used on control_ only.
  std::vector<found_handler> waiting_;
  std::unique_ptr<name_lookup> lookup_;
};

}  // namespace scattergate::proxy
