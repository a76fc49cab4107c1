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

/// What an errno of connecting to a mongos counts as.
[[nodiscard]] telemetry::upstream_failure failure_of(int error) noexcept;

/// The mongos behind one listener, one at a time. Of several names, and of several addresses of
/// a name, all connections use the one that answered first, until it can't be reached; then the
/// names are asked again in order. Cursors and transactions on two mongos at once behind one
/// address would break drivers, so who is connected to another address must leave it.
/// Thread-safety: any thread.
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

  /// What find() found: a connected, non-blocking socket, or none.
  struct found {
    net::unique_fd socket;
    target to;
    bool is_out_of_resources = false;  ///< no mongos is to blame
    std::string why;                   ///< each name that couldn't be reached, with its error
  };

  /// Addresses are looked for on `control`. REQUIRES: at least one name.
  upstream(std::vector<net::endpoint> names, boost::asio::io_context& control,
           telemetry::listener_facts& facts, telemetry::condition_board* conditions = nullptr)
      : names_(std::move(names)),
        control_(control),
        facts_(facts),
        troubles_(names_, facts.address, control, conditions) {}

  [[nodiscard]] const std::vector<net::endpoint>& names() const noexcept { return names_; }
  [[nodiscard]] cursor_table& cursors() noexcept { return cursors_; }

  [[nodiscard]] std::optional<target> pinned() const;
  /// Whether another one than `mine` is pinned.
  [[nodiscard]] bool has_left(const target& mine) const;
  /// `used`, as one object for all connections that use the same: an address is larger than
  /// much of what a connection keeps.
  [[nodiscard]] std::shared_ptr<const target> shared(const target& used);
  /// Pins `candidate` unless another is pinned already; returns the one that is. `why` those
  /// that were tried before can't be reached.
  target pin(const target& candidate, std::string_view why = {});
  /// Forgets `unreachable`, where it is what is pinned.
  void unpin(const target& unreachable);

  /// Uses `to` instead of `from`, unless something else is used by now.
  void go_over(const target& from, const target& to, std::string_view why);

  /// A connection was given up after `waited`, without an answer from mongos, or from a name
  /// server.
  void note_timeout(std::chrono::seconds waited);
  [[nodiscard]] upstream_troubles& troubles() noexcept { return troubles_; }

  [[nodiscard]] telemetry::listener_facts& facts() noexcept { return facts_; }

  /// Whether the last health check of a name failed: it is tried after the others.
  void suspect(std::size_t name, bool is_ill);
  [[nodiscard]] bool is_suspect(std::size_t name) const;

  /// For the search that goes on: has `on_found` called with the addresses of a name, on
  /// `control`, unless this is destroyed before.
  void look_up(const net::endpoint& name, name_lookup::handler on_found);

  using found_handler = std::function<void(found)>;

  /// Connects to what is pinned, else to the first address of the names that can be reached,
  /// which becomes what is pinned. Who asks while a search goes on shares it, so that a name
  /// server that is silent is asked once, not once for every client that comes. `on_found` is
  /// called once, on `control`.
  void find(found_handler on_found);

 private:
  [[nodiscard]] std::optional<std::size_t> use(const target& chosen);  // under mutex_
  void tell_change(std::optional<std::size_t> from, std::size_t to, std::string_view why) const;
  void tell(found result);
  void follow(const target& to, found_handler on_found);

  std::vector<net::endpoint> names_;
  boost::asio::io_context& control_;
  telemetry::listener_facts& facts_;
  upstream_troubles troubles_;
  cursor_table cursors_;
  mutable std::mutex mutex_;
  std::optional<target> pinned_;
  std::optional<target> last_pinned_;
  std::shared_ptr<const target> shared_;  // what shared() returned last
  std::set<std::size_t> suspects_;
  std::vector<found_handler> waiting_;   // for the search that goes on; on control_ only
  std::unique_ptr<name_lookup> lookup_;  // likewise
};

}  // namespace scattergate::proxy
