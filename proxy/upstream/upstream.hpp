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

/// The category of a failed connection to a mongos. `error`: the errno.
[[nodiscard]] telemetry::upstream_failure failure_of(int error) noexcept;

/// The mongos behind one listener. The configuration lists their names; a name may have several
/// addresses. All connections use one address, the pinned target: drivers expect one mongos
/// behind the listener's address, because each mongos has its own cursors and transactions. The
/// first address that accepts a connection is pinned. When it can't be reached any more, a
/// search tries the names again in order, and connections to the old target must close.
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
    target to;                         ///< the address of `socket`
    bool is_out_of_resources = false;  ///< this process or host is out of descriptors, ports or
                                       ///< memory
    std::string why;  ///< the names that couldn't be reached, with their errors
  };

  /// `names`: in the order in which they are tried. `control`: runs searches and callbacks.
  /// `conditions`: null to raise none. The references must outlive this object. REQUIRES: at
  /// least one name.
  upstream(std::vector<net::endpoint> names, boost::asio::io_context& control,
           telemetry::listener_facts& facts, telemetry::condition_board* conditions = nullptr)
      : names_(std::move(names)),
        control_(control),
        facts_(facts),
        troubles_(names_, facts.address, control, conditions) {}

  [[nodiscard]] const std::vector<net::endpoint>& names() const noexcept { return names_; }
  /// The open cursors of this listener's clients.
  [[nodiscard]] cursor_table& cursors() noexcept { return cursors_; }

  /// The pinned target; std::nullopt if there is none.
  [[nodiscard]] std::optional<target> pinned() const;
  /// Whether a target other than `mine` is pinned, so that connections to `mine` must close.
  [[nodiscard]] bool must_leave(const target& mine) const;
  /// A shared copy of `used`. Connections with the same target share one copy, to save memory.
  [[nodiscard]] std::shared_ptr<const target> shared(const target& used);
  /// Pins `candidate`, unless a target is already pinned. Returns the pinned target. `why`: the
  /// errors of the names tried before, for the log.
  target pin(const target& candidate, std::string_view why = {});
  /// Unpins `unreachable` if it is pinned.
  void unpin(const target& unreachable);

  /// Pins `to` instead of `from`, or if no target is pinned. Does nothing if a third target is
  /// pinned. `why`: the reason, for the log.
  void fail_over(const target& from, const target& to, std::string_view why);

  /// Records that a client's session got no connection within `waited`, because neither a
  /// mongos nor a name server has answered. Reports it, unless a target is pinned by then.
  void note_timeout(std::chrono::seconds waited);
  /// Reports this listener's problems with its mongos.
  [[nodiscard]] upstream_troubles& troubles() noexcept { return troubles_; }

  /// The listener's counters.
  [[nodiscard]] telemetry::listener_facts& facts() noexcept { return facts_; }

  /// Records the result of a name's health check. A search tries the names whose check has
  /// failed after all others. `name`: index into names().
  void suspect(std::size_t name, bool is_failing);
  /// Whether a name's last health check failed.
  [[nodiscard]] bool is_suspect(std::size_t name) const;

  /// Resolves a name for the running search; one at a time. Calls `on_found` on `control`,
  /// unless this object is destroyed first.
  void look_up(const net::endpoint& name, name_lookup::handler on_found);

  using found_handler = std::function<void(found)>;

  /// Connects to the pinned target. If there is none, or it can't be reached, connects to the
  /// first reachable address and pins it. Concurrent calls share one search, so that a slow
  /// name server gets one request for all. Calls `on_found` once, on `control`; never if memory
  /// runs out.
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
  std::optional<target> last_pinned_;     // stays set when the target is unpinned
  std::shared_ptr<const target> shared_;  // the last result of shared()
  std::set<std::size_t> suspects_;        // the names whose last health check failed
  // Of the running search; used on control_ only.
  std::vector<found_handler> waiting_;
  std::unique_ptr<name_lookup> lookup_;
};

}  // namespace scattergate::proxy
