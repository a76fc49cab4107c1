#pragma once

#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "config/endpoint.hpp"
#include "proxy/cursor_table.hpp"

namespace scattergate::proxy {

/// The mongos behind one listener. Its name may have several addresses: all connections use the
/// one that answered first, until it can't be reached; then the name is resolved again. Cursors
/// and transactions on two mongos at once behind one address would break drivers.
/// Thread-safety: any thread.
class upstream {
 public:
  using address = boost::asio::ip::tcp::endpoint;

  explicit upstream(config::endpoint name) : name_(std::move(name)) {}

  [[nodiscard]] const config::endpoint& name() const noexcept { return name_; }
  [[nodiscard]] cursor_table& cursors() noexcept { return cursors_; }

  [[nodiscard]] std::optional<address> pinned() const;
  /// Pins `candidate` unless another is pinned already; returns the one that is.
  address pin(const address& candidate);
  /// Forgets `unreachable`, where it is what is pinned.
  void unpin(const address& unreachable);

 private:
  config::endpoint name_;
  cursor_table cursors_;
  mutable std::mutex mutex_;
  std::optional<address> pinned_;
};

/// Connects `socket` to the upstream. The caller bounds the time by closing the socket.
boost::asio::awaitable<boost::system::error_code> connect(boost::asio::ip::tcp::socket& socket,
                                                          upstream& upstream);

}  // namespace scattergate::proxy
