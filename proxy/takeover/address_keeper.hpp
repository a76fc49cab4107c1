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
#include "proxy/takeover/systemd.hpp"
#include "telemetry/admin/admin_server.hpp"

namespace scattergate::proxy {

/// Opens the daemon's listening sockets: binds them, or takes them over from systemd or from
/// the predecessor (the daemon that this process replaces). Offers them to a successor (a
/// daemon that will replace this process); see handover.hpp. Thread-safety: the control
/// thread.
class address_keeper {
 public:
  /// Takes over the sockets of systemd and of a predecessor, if there are any. `handover_path`:
  /// the path of the Unix socket for handovers (handover.socket); empty: no handovers. Throws
  /// std::system_error if no descriptor is left for the handover.
  explicit address_keeper(std::string handover_path);

  /// Opens the socket of the admin address, or of the page's own address (admin.page_listen);
  /// uses an inherited socket if there is one. Throws std::runtime_error with a one-line
  /// message if the address can't be bound, or if no descriptor is left.
  [[nodiscard]] net::listening_socket open_admin(const net::endpoint& address);

  /// Opens a listener's sockets. Uses the inherited sockets if there are any; otherwise binds
  /// one Unix socket, or one TCP socket per worker. Throws std::runtime_error with a one-line
  /// message if the address can't be bound, or if no descriptor is left.
  [[nodiscard]] net::listener open(const net::endpoint& address, std::size_t workers);

  /// Offers the sockets to successors until stop_offering(), if there is a handover path.
  /// Calls `on_successor` on `control` once a successor serves clients. Also closes inherited
  /// sockets that no address needs, so call it when all sockets are open. Throws
  /// std::runtime_error with a one-line message if another process has taken over from the
  /// predecessor meanwhile, or if the handover socket can't be bound.
  void expect_successor(boost::asio::io_context& control, std::function<void()> on_successor);

  /// Notifies the predecessor, if there is one, that this process serves clients. The
  /// predecessor then drains: it accepts no more connections, and ends. Call it after
  /// expect_successor().
  void stop_predecessor();

  /// Ends the offer to successors, and closes the duplicates of the listening sockets.
  /// Otherwise clients could connect after the listeners have closed, and would wait forever.
  /// Also removes the listeners' Unix socket files, unless a successor or systemd has the
  /// sockets. Call it before closing the listeners.
  void stop_offering();

  /// Whether a successor serves clients.
  [[nodiscard]] bool has_successor() const noexcept { return has_successor_; }
  /// Whether a predecessor has handed over its sockets to this process.
  [[nodiscard]] bool is_successor() const noexcept { return is_successor_; }

  /// Removes the Unix socket files of the admin and page addresses, unless a successor or
  /// systemd has the sockets. Call it before closing the admin and page sockets, which stay
  /// open longer than the listeners.
  void remove_admin_files();

 private:
  void offer(const net::endpoint& configured, int socket);
  [[nodiscard]] bool is_from_systemd(const std::vector<net::unique_fd>& taken) const noexcept {
    return is_activated_ && !taken.empty();
  }

  std::string handover_path_;
  inherited_sockets inherited_;
  predecessor_connection predecessor_;
  std::vector<offered_socket> offered_;   ///< duplicates of all sockets; empty without a
                                          ///< handover path
  std::vector<net::endpoint> listeners_;  ///< the listeners' addresses whose files to remove
  std::vector<net::endpoint> admin_;  ///< the admin and page addresses whose files to remove
  std::optional<handover_server> server_;
  bool is_activated_ = false;  ///< systemd has passed the sockets, and keeps them open
  bool is_successor_ = false;
  bool has_successor_ = false;
};

/// All sockets on which a daemon listens.
struct opened_sockets {
  /// Opens the sockets. Throws std::runtime_error with a one-line message if an address can't
  /// be bound.
  opened_sockets(address_keeper& from, const config::options& options);

  telemetry::admin_sockets admin;        ///< of the admin address and, if configured, the
                                         ///< page's own address
  std::vector<net::listener> listeners;  ///< in the order of the options
};

}  // namespace scattergate::proxy
