#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/options.hpp"
#include "net/asio_forward.hpp"
#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"
#include "proxy/upstream/address_book.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "proxy/upstream/upstream_address.hpp"
#include "proxy/upstream/upstream_troubles.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// The category of a failed connection to a mongos. `error`: the errno of the failed connect.
[[nodiscard]] telemetry::upstream_failure failure_of(int error) noexcept;

/// How a listener uses its mongos. A reload may change it.
struct upstream_settings {
  std::vector<net::endpoint> names;  ///< the configured names; at least one
  config::upstream_choice choice = config::upstream_choice::spread;
  std::chrono::milliseconds return_after{0};  ///< see config::failover_options
  std::chrono::milliseconds drain_grace{0};   ///< how long connections may drain
};

/// The settings for the mongos behind a listener. `listener`: its index in `from`.
[[nodiscard]] upstream_settings upstream_settings_of(const config::options& from,
                                                     std::size_t listener);

/// The mongos processes behind one listener. The configuration lists their names; a name may
/// have several addresses, which change over time (see address_book). Each address is one
/// mongos, with its own cursors and transactions. So all connections use one address, the
/// pinned one, unless the drivers pin cursors to connections (upstream_choice::connections).
///
/// The first address that accepts a connection is pinned. If it can no longer be reached, a
/// search tries all addresses in the order of the choice. If it pins another address,
/// connections to the old one must close. If the pinned address has left the name server's
/// answer or the configuration, or if the listener returns to the address that it prefers,
/// connections to the old one drain: they close when they are idle.
/// Thread-safety: any thread, unless a function states otherwise.
class upstream {
 public:
  using clock = upstream_address::clock;

  /// The result of connect().
  struct found {
    net::unique_fd socket;             ///< connected and non-blocking; empty: connecting failed
    upstream_address_ptr to;           ///< the address to which `socket` is connected; null if
                                       ///< `socket` is empty
    bool is_out_of_resources = false;  ///< this process or host is out of descriptors, ports or
                                       ///< memory
    /// The addresses that couldn't be reached, with their errors; may be empty. Always empty
    /// for a call of connect() that shared the search of another call.
    std::string why;
  };

  /// `control`: runs searches, lookups of names and callbacks. `conditions`: where problems are
  /// reported; null: nowhere. The references must outlive this object.
  upstream(upstream_settings settings, boost::asio::io_context& control,
           telemetry::listener_facts& facts, telemetry::condition_board* conditions = nullptr);
  ~upstream();

  /// Replaces the settings. Only the control thread may call it.
  void apply_settings(upstream_settings settings);
  /// The configured names.
  [[nodiscard]] std::vector<net::endpoint> names() const { return book_.names(); }
  /// The addresses of the names.
  [[nodiscard]] address_book& book() noexcept { return book_; }
  /// The open cursors of this listener's clients.
  [[nodiscard]] cursor_table& cursors() noexcept { return cursors_; }

  /// Whether each connection uses the address with the fewest (upstream_choice::connections).
  [[nodiscard]] bool balances_connections() const;
  /// The pinned address; null if there is none. Always null with upstream_choice::connections.
  [[nodiscard]] upstream_address_ptr pinned() const;
  /// The address that a new connection must use: the pinned one, or the one with the fewest
  /// connections; null: a search must find one.
  [[nodiscard]] upstream_address_ptr choose() const;
  /// The family of the address that the next connection will probably use, such as AF_INET.
  [[nodiscard]] int family() const;
  /// All addresses, in the order in which a search tries them.
  [[nodiscard]] std::vector<upstream_address_ptr> candidates() const;
  /// Pins `candidate` if no address is pinned. Returns the address that a connection must use
  /// afterwards. `why`: why the addresses tried before couldn't be reached, for the log.
  upstream_address_ptr pin(const upstream_address_ptr& candidate, std::string_view why = {});
  /// Unpins `unreachable` if it is pinned, so that the next connect() searches. Other choices
  /// avoid it for ten seconds.
  void unpin(const upstream_address_ptr& unreachable);

  /// Ends the use of `failing` because it fails its health checks: if it is pinned, pins the
  /// first address that passes them. Its connections must close. Returns false, and does
  /// nothing, if no other address passes them. `why`: what is wrong, for the log.
  bool leave(const upstream_address_ptr& failing, std::string_view why);
  /// Uses an address again that leave() has excluded from balancing, because it passes its
  /// health checks again.
  void rejoin(const upstream_address_ptr& passing);

  /// Call it if a client's session got no connection to mongos within the time `waited`.
  /// Reports this as a problem, unless another connection has succeeded by then, or a mongos
  /// passes its health checks: then the search for it is in progress.
  void note_timeout(std::chrono::seconds waited);
  /// The object that reports problems with these mongos processes to the condition board.
  [[nodiscard]] upstream_troubles& troubles() noexcept { return troubles_; }

  /// The listener's counters.
  [[nodiscard]] telemetry::listener_facts& facts() noexcept { return facts_; }

  /// Receives the result of connect().
  using found_handler = std::function<void(found)>;

  /// Connects to the address that choose() returns. If there is none, or it can't be reached,
  /// connects to the first reachable address and pins it. Concurrent calls share one search.
  /// Calls `on_found` once, on the control thread; doesn't call it if memory runs out.
  void connect(found_handler on_found);

  /// Resolves names that are due, moves from an address that is gone, returns to the preferred
  /// one, and ends drains. Call it about twice per second, on the control thread.
  void tick(clock::time_point now);

  /// Sets what is called whenever a name server has answered, for the running search. Only the
  /// control thread may call it.
  void on_names(std::function<void()> wake) { on_names_ = std::move(wake); }

 private:
  /// Why the pinned address changes.
  enum class change : std::uint8_t { failover, planned };
  struct drain {
    upstream_address_ptr from;
    clock::time_point ends_at;
  };

  [[nodiscard]] bool balances() const noexcept;
  void on_names_changed();
  [[nodiscard]] std::string switch_to(const upstream_address_ptr& chosen, change because,
                                      std::string_view why);
  void move(const upstream_address_ptr& from, const upstream_address_ptr& to,
            std::string_view why, clock::time_point now);
  void log_change(change because, const std::string& from, const std::string& to,
                  std::string_view why) const;
  [[nodiscard]] std::string first_choice() const;
  [[nodiscard]] static std::string why_left(const upstream_address_ptr& before,
                                            std::string_view why);
  [[nodiscard]] bool is_one_well() const;
  [[nodiscard]] upstream_address_ptr sound_other(const upstream_address_ptr& than) const;
  void start_drain(const upstream_address_ptr& from, clock::time_point now);
  void end_drains(clock::time_point now);
  void move_from_gone(clock::time_point now);
  void consider_return(clock::time_point now);
  void show_active(clock::time_point now);
  void deliver(found result);
  void follow(const upstream_address_ptr& to, found_handler on_found);

  boost::asio::io_context& control_;
  telemetry::listener_facts& facts_;
  upstream_troubles troubles_;
  cursor_table cursors_;
  address_book book_;
  mutable std::mutex mutex_;
  upstream_settings settings_;        // guarded by mutex_
  upstream_address_ptr pinned_;       // guarded by mutex_
  upstream_address_ptr last_pinned_;  // guarded by mutex_; stays set when it is unpinned
  // The members below are used on control_ only.
  std::vector<found_handler> waiting_;  // of the running search
  std::function<void()> on_names_;
  std::vector<drain> drains_;
  std::optional<clock::time_point> gone_at_;  // when the pinned address was found gone
  upstream_address_ptr preferred_;            // the listener returns to it at return_at_
  clock::time_point return_at_;
  std::uint64_t returns_ = 0;  // planned returns, for the jitter
};

}  // namespace scattergate::proxy
