#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "config/endpoint.hpp"
#include "proxy/cursor_table.hpp"

namespace scattergate::proxy {

/// The mongos behind one listener, one at a time. Of several names, and of several addresses of
/// a name, all connections use the one that answered first, until it can't be reached; then the
/// names are asked again in order. Cursors and transactions on two mongos at once behind one
/// address would break drivers, so who is connected to another address must leave it.
/// Thread-safety: any thread.
class upstream {
 public:
  using address = boost::asio::ip::tcp::endpoint;

  /// REQUIRES: at least one name.
  explicit upstream(std::vector<config::endpoint> names) : names_(std::move(names)) {}

  [[nodiscard]] const std::vector<config::endpoint>& names() const noexcept { return names_; }
  [[nodiscard]] cursor_table& cursors() noexcept { return cursors_; }

  [[nodiscard]] std::optional<address> pinned() const;
  /// Pins `candidate` unless another is pinned already; returns the one that is.
  address pin(const address& candidate);
  /// Forgets `unreachable`, where it is what is pinned.
  void unpin(const address& unreachable);

 private:
  std::vector<config::endpoint> names_;
  cursor_table cursors_;
  mutable std::mutex mutex_;
  std::optional<address> pinned_;
};

/// Connects `socket` to the upstream. The caller bounds the time by closing the socket.
boost::asio::awaitable<boost::system::error_code> connect(boost::asio::ip::tcp::socket& socket,
                                                          upstream& upstream);

}  // namespace scattergate::proxy
