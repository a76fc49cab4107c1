#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "net/asio_forward.hpp"
#include "net/endpoint.hpp"
#include "net/listener.hpp"
#include "proxy/takeover/handover.hpp"
#include "proxy/takeover/inherited_sockets.hpp"
#include "telemetry/admin/admin_server.hpp"

namespace scattergate::proxy {

/// Opens the daemon's listening sockets: binds them, or takes them from systemd or a
/// predecessor. Offers them to a successor. Thread-safety: the control thread.
class address_keeper {
 public:
  /// Takes sockets from systemd and, over `handover_path` (empty: none), from a predecessor.
  explicit address_keeper(std::string handover_path);

  /// Opens the socket of the admin address. Throws std::runtime_error with a one-line message
  /// if the address is in use.
  [[nodiscard]] net::listening_socket open_admin(const net::endpoint& address);

  /// Opens a listener's sockets for this many workers. Throws std::runtime_error with a
  /// one-line message if the address is in use.
  [[nodiscard]] net::listener open(const net::endpoint& address, std::size_t workers);

  /// Offers the sockets to a successor until stop_offering(), if there is a handover path.
  /// Call it when all sockets are open. Once a successor serves clients, `on_successor` runs
  /// on `control`. Throws std::runtime_error with a one-line message if the handover socket
  /// can't be bound.
  void expect_successor(boost::asio::io_context& control, std::function<void()> on_successor);

  /// Notifies the predecessor, if there is one, that this process serves clients. The
  /// predecessor then drains.
  void stop_predecessor();

  /// Ends the offer: closes the duplicate sockets, because connections would wait in them
  /// forever, and removes the listeners' Unix socket files unless a successor or systemd has
  /// the sockets. Call it before closing the listeners.
  void stop_offering();

  [[nodiscard]] bool has_successor() const noexcept { return has_successor_; }
  /// Whether a predecessor has handed over its sockets.
  [[nodiscard]] bool is_successor() const noexcept { return is_successor_; }

  /// Removes the Unix socket files of the admin and page addresses, as stop_offering() does
  /// those of the listeners. Call it before closing these addresses, which outlive the
  /// listeners.
  void leave_admin();

 private:
  void offer(const net::endpoint& configured, int socket);
  [[nodiscard]] bool is_systemds(const std::vector<net::unique_fd>& taken) const noexcept {
    return is_activated_ && !taken.empty();
  }

  std::string handover_path_;
  inherited_sockets inherited_;
  predecessor predecessor_;
  std::vector<offered_socket> offered_;   ///< duplicates, if there may be a successor
  std::vector<net::endpoint> listeners_;  ///< whose files must be removed
  std::vector<net::endpoint> admin_;  ///< the admin address and the page's, whose files must be
                                      ///< removed
  std::optional<handover_server> server_;
  bool is_activated_ = false;  ///< by systemd, which keeps its sockets
  bool is_successor_ = false;
  bool has_successor_ = false;
};

/// All sockets on which a daemon listens.
struct opened_sockets {
  /// Throws std::runtime_error with a one-line message if an address is in use.
  opened_sockets(address_keeper& from, const config::options& options);

  telemetry::admin_sockets admin;
  std::vector<net::listener> listeners;
};

}  // namespace scattergate::proxy
