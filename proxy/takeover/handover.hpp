#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/unique_fd.hpp"
#include "proxy/takeover/inherited_sockets.hpp"

/// Restarts without downtime. The successor asks its predecessor for the listening sockets
/// themselves, over a Unix socket. A connection that waits in a socket belongs to whichever
/// process accepts it, so none is lost; closing a socket and binding another one to its address
/// (SO_REUSEPORT) would reset those.
///
///     successor                       predecessor
///     connects ─────────────────────►
///              ◄───────────────────── one packet per socket: its address, the descriptor
///              ◄───────────────────── "end"
///     serves
///     "ready" ──────────────────────► drains
namespace scattergate::proxy {

/// One listening socket that can be handed over.
struct offered_socket {
  std::string configured;  ///< the address as configured for its listener
  net::unique_fd socket;
};

/// The successor's side of a handover.
class predecessor {
 public:
  /// Asks the process that listens on the Unix socket `path`, if it runs as our user, and adds
  /// the sockets that it hands over to `into`. Blocks for some seconds at most. False if there
  /// is no such process.
  [[nodiscard]] bool ask(const std::string& path, inherited_sockets& into);

  /// Tells the predecessor that this process serves, so that it drains. Otherwise it continues
  /// to serve.
  void relieve();

 private:
  net::unique_fd connection_;
};

/// The predecessor's side of a handover: hands the sockets to the first successor of our own
/// user that asks, until one reports that it serves. Thread-safety: the thread of `control`.
class handover_server {
 public:
  /// Listens on the Unix socket `path`, replacing any previous listener. `on_relieved` is
  /// called once. Throws std::system_error if `path` can't be bound.
  handover_server(const std::string& path, const std::vector<offered_socket>& offered,
                  boost::asio::io_context& control, std::function<void()> on_relieved);
  ~handover_server();  ///< removes the file, unless a successor has replaced it

  handover_server(const handover_server&) = delete;
  handover_server& operator=(const handover_server&) = delete;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
