#pragma once

#include <atomic>
#include <cstdint>
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
  /// `names`: the host and port of each mongos, as configured; must outlive this object.
  /// `listener`: the address to which clients connect. `conditions`: the condition board;
  /// null: nothing is reported.
  upstream_troubles(const std::vector<net::endpoint>& names, std::string listener,
                    boost::asio::io_context& control, telemetry::condition_board* conditions);

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

  /// Reports the result of a health check. `name`: the index of the mongos in `names`.
  /// `failure`: why the check failed; empty if it has passed. Call it only on the thread of
  /// the health checks.
  void note_check(std::size_t name, std::string failure);

  /// Reports whether a mongos answers clients' commands. `name`: the index of the mongos in
  /// `names`. `why`: why it is believed that it doesn't; empty if it does. Call it only on the
  /// thread of the health checks.
  void note_silence(std::size_t name, std::string why);

  /// Reports a failed TLS handshake with a mongos. `name`: the host and port of the mongos.
  /// `reason`: the reason in words.
  void note_tls_failure(const net::endpoint& name, std::string_view reason);
  /// Ends the conditions that note_tls_failure() has raised, because a TLS handshake has
  /// succeeded. Cheap if none of these conditions is active.
  void note_tls_success();

 private:
  template <typename Task>
  void on_control(Task task);
  void note(telemetry::condition_kind kind, std::size_t name, std::vector<bool>& has_failed,
            std::string why);

  const std::vector<net::endpoint>& names_;
  boost::asio::io_context& control_;
  telemetry::condition_board* conditions_;
  std::string all_names_;
  std::string listener_;
  std::vector<bool> fails_checks_;  // by name index: whether the last health check failed
  std::vector<bool> is_silent_;     // by name index: whether note_silence() said so
  std::atomic<bool> is_unreachable_{false};
  std::atomic<bool> has_checks_{false};
  std::atomic<bool> is_tls_failing_{false};
  std::atomic<std::uint64_t> tls_failures_{0};  // not yet reported
};

}  // namespace scattergate::proxy
