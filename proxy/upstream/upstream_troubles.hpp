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

/// Reports problems with the mongos behind a listener to the condition board, through the
/// control thread, which may log. Thread-safety: any thread.
class upstream_troubles {
 public:
  /// `listener`: the address that clients connect to. `conditions`: null to raise none.
  upstream_troubles(const std::vector<net::endpoint>& names, std::string listener,
                    boost::asio::io_context& control, telemetry::condition_board* conditions);

  /// Reports that no name can be reached. `connections`: the number of connections that failed.
  void note_unreachable(std::string why, std::uint64_t connections);
  /// Reports that a name was reached. Cheap if none was unreachable.
  void note_reached();

  /// Records the result of a name's health check; `failure` is empty if it passed. Call it on
  /// the health checks' thread only.
  void note_check(std::size_t name, std::string failure);

  void note_tls_failure(const net::endpoint& name, std::string_view reason);
  /// Reports a successful TLS handshake. Cheap if none had failed.
  void note_tls_success();

 private:
  template <typename Task>
  void on_control(Task task);

  const std::vector<net::endpoint>& names_;
  boost::asio::io_context& control_;
  telemetry::condition_board* conditions_;
  std::string all_names_;
  std::string listener_;
  std::vector<bool> fails_checks_;  // by name index
  std::atomic<bool> is_unreachable_{false};
  std::atomic<bool> is_tls_failing_{false};
  std::atomic<std::uint64_t> tls_failures_{0};  // not yet reported
};

}  // namespace scattergate::proxy
