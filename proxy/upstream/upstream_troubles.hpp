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

/// Reports problems with the mongos behind a listener to the condition board. Does so on the
/// control thread, because the board may block on the log. Thread-safety: any thread.
class upstream_troubles {
 public:
  /// `names`: the names of the mongos; must outlive this object. `listener`: the address that
  /// clients connect to. `conditions`: the condition board; null: no condition is raised.
  upstream_troubles(const std::vector<net::endpoint>& names, std::string listener,
                    boost::asio::io_context& control, telemetry::condition_board* conditions);

  /// Reports that no name can be reached. `connections`: the number of connections that failed.
  void note_unreachable(std::string why, std::uint64_t connections);
  /// Reports that a name can be reached, which ends note_unreachable()'s condition. Cheap
  /// without that condition.
  void note_reached();

  /// Reports the result of a name's health check. `name`: its index. `failure`: empty if the
  /// check has passed. Call it on the health checks' thread only.
  void note_check(std::size_t name, std::string failure);

  /// Reports a failed TLS handshake with a mongos.
  void note_tls_failure(const net::endpoint& name, std::string_view reason);
  /// Reports a successful TLS handshake, which ends note_tls_failure()'s conditions. Cheap
  /// without such a condition.
  void note_tls_success();

 private:
  template <typename Task>
  void on_control(Task task);

  const std::vector<net::endpoint>& names_;
  boost::asio::io_context& control_;
  telemetry::condition_board* conditions_;
  std::string all_names_;
  std::string listener_;
  std::vector<bool> fails_checks_;  // by name index: whether the last health check failed
  std::atomic<bool> is_unreachable_{false};
  std::atomic<bool> is_tls_failing_{false};
  std::atomic<std::uint64_t> tls_failures_{0};  // not yet reported
};

}  // namespace scattergate::proxy
