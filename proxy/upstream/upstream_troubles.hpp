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

/// What is wrong with reaching the mongos behind a listener, on its way to the board. The log
/// is written on the control thread alone.
/// Thread-safety: any thread.
class upstream_troubles {
 public:
  /// `listener`: the address that clients connect to. `conditions`: null: none are raised.
  upstream_troubles(const std::vector<net::endpoint>& names, std::string listener,
                    boost::asio::io_context& control, telemetry::condition_board* conditions);

  /// None of them can be reached, which so many connections have met.
  void note_unreachable(std::string why, std::uint64_t connections);
  /// One was reached. Cheap where that is nothing new.
  void note_reached();

  /// The health check of a name failed, or, where `failure` is empty, was answered. From the
  /// thread of the health checks alone.
  void note_check(std::size_t name, std::string failure);

  void note_tls_failure(const net::endpoint& name, std::string_view reason);
  /// Cheap likewise.
  void note_tls_success();

 private:
  template <typename Tell>
  void on_control(Tell tell);

  const std::vector<net::endpoint>& names_;
  boost::asio::io_context& control_;
  telemetry::condition_board* conditions_;
  std::string all_names_;
  std::string listener_;
  std::vector<bool> fails_checks_;  // by name
  std::atomic<bool> is_unreachable_{false};
  std::atomic<bool> is_tls_failing_{false};
  std::atomic<std::uint64_t> tls_failures_{0};  // not yet told
};

}  // namespace scattergate::proxy
