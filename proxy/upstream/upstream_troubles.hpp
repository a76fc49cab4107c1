#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/endpoint.hpp"
#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::proxy {

/// Reports problems with the mongos processes behind a listener to the condition board (the
/// daemon's list of active problems). Calls the board on the control thread, because the board
/// may block on the log. Thread-safety: any thread.
class upstream_troubles {
 public:
  /// `names`: the host and port of each mongos, as configured. `listener`: the address to which
  /// clients connect. `conditions`: the condition board; null: nothing is reported.
  upstream_troubles(const std::vector<net::endpoint>& names, std::string listener,
                    boost::asio::io_context& control, telemetry::condition_board* conditions);

  /// Replaces the names, and ends the conditions of those that are gone. Only the control
  /// thread may call it.
  void use_names(const std::vector<net::endpoint>& names);

  /// Reports that no mongos can be reached. `why`: the reason in words. `connections`: the
  /// number of failed connections that this call reports.
  void note_unreachable(std::string why, std::uint64_t connections);
  /// Ends the condition that note_unreachable() has raised, because a mongos passes its health
  /// checks. Cheap if that condition isn't active.
  void note_reached();
  /// Does the same because a client's session has a connection to mongos, TLS included. Does
  /// nothing if there are health checks: a mongos that hangs accepts connections.
  void note_connected();
  /// Says that health checks run, so that only they end the condition.
  void rely_on_checks() noexcept { has_checks_ = true; }

  /// Reports the result of a health check. `mongos`: its name, and its address if the name has
  /// several. `failure`: why the check failed; empty if it has passed. Call it only on the
  /// thread of the health checks.
  void note_check(const std::string& mongos, std::string failure);
  /// Reports whether a mongos answers clients' commands. `mongos`: as for note_check(). `why`:
  /// why it is believed that it doesn't; empty if it does. Call it only on the thread of the
  /// health checks.
  void note_silence(const std::string& mongos, std::string why);
  /// Ends the conditions that note_check() and note_silence() have raised about all mongos
  /// except these, because they are no longer checked. Call it only on the thread of the health
  /// checks.
  void keep_checks(const std::set<std::string>& of);

  /// Reports a failed TLS handshake with a mongos. `name`: the host and port of the mongos.
  /// `reason`: the reason in words.
  void note_tls_failure(const net::endpoint& name, std::string_view reason);
  /// Ends the conditions that note_tls_failure() has raised, because a TLS handshake has
  /// succeeded. Cheap if none of these conditions is active.
  void note_tls_success();

 private:
  template <typename Task>
  void on_control(Task task);
  void note(telemetry::condition_kind kind, std::set<std::string>& active,
            const std::string& mongos, std::string why);

  boost::asio::io_context& control_;
  telemetry::condition_board* conditions_;
  std::vector<std::string> names_;  // used on control_ only
  std::string all_names_;           // used on control_ only
  std::string listener_;
  std::set<std::string> failing_;  // the mongos with note_check()'s condition
  std::set<std::string> silent_;   // the mongos with note_silence()'s condition
  std::atomic<bool> is_unreachable_{false};
  std::atomic<bool> has_checks_{false};
  std::atomic<bool> is_tls_failing_{false};
  std::atomic<std::uint64_t> tls_failures_{0};  // not yet reported
};

}  // namespace scattergate::proxy
