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

/// Where the daemon's listening sockets come from and go to: bound here, left by systemd, taken
/// over from a predecessor, handed over to a successor.
/// Thread-safety: one thread, the control one.
class address_keeper {
 public:
  /// Asks systemd and, over `handover_path` (empty: nobody), a predecessor.
  explicit address_keeper(std::string handover_path);

  /// The socket of the admin address. Throws std::runtime_error with a line for people where it
  /// is taken.
  [[nodiscard]] net::listening_socket open_admin(const net::endpoint& address);

  /// The sockets of a listener for so many workers; likewise.
  [[nodiscard]] net::listener open(const net::endpoint& address, std::size_t workers);

  /// Everything is open: from now on a successor may ask on `control`, until stop_offering().
  /// `on_relieved` is called once one serves. Throws std::runtime_error with a line for people
  /// where nobody could ask.
  void expect_successor(boost::asio::io_context& control, std::function<void()> on_relieved);

  /// Everything is served now: the predecessor can drain.
  void relieve_predecessor();

  /// The listeners are about to be closed. Nothing may wait in a socket that nobody accepts
  /// from any more: lets go of our duplicates, and removes the files of Unix sockets, unless
  /// somebody else listens there from now on.
  void stop_offering();

  [[nodiscard]] bool is_relieved() const noexcept { return is_relieved_; }
  /// Whether a predecessor has handed over its sockets.
  [[nodiscard]] bool is_successor() const noexcept { return is_successor_; }

  /// The same for the admin address, which outlives the listeners.
  void leave_admin();

 private:
  void offer(const net::endpoint& configured, int socket);
  [[nodiscard]] bool is_systemds(const std::vector<net::unique_fd>& taken) const noexcept {
    return is_activated_ && !taken.empty();
  }

  std::string handover_path_;
  inherited_sockets inherited_;
  predecessor predecessor_;
  std::vector<offered_socket> offered_;   ///< duplicates, where there may be a successor
  std::vector<net::endpoint> listeners_;  ///< whose files are ours to remove
  std::vector<net::endpoint> admin_;      ///< likewise: the admin address, and the page's
  std::optional<handover_server> server_;
  bool is_activated_ = false;  ///< by systemd, which keeps its sockets
  bool is_successor_ = false;
  bool is_relieved_ = false;
};

/// Every socket that a daemon listens on.
struct opened_sockets {
  /// Throws std::runtime_error with a line for people where an address is taken.
  opened_sockets(address_keeper& from, const config::options& options);

  telemetry::admin_sockets admin;
  std::vector<net::listener> listeners;
};

}  // namespace scattergate::proxy
