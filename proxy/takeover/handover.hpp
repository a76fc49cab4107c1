#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/unique_fd.hpp"
#include "proxy/takeover/inherited_sockets.hpp"

/// Restarts without downtime. The successor gets the listening sockets themselves from its
/// predecessor, over a Unix socket. So no waiting connection is lost: either process may accept
/// it. Binding new sockets (SO_REUSEPORT) and closing the old ones would reset waiting
/// connections.
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
  /// Requests the sockets from the process that listens on the Unix socket `path`, and adds
  /// them to `into`. Blocks for a few seconds at most. False if there is no such process, or it
  /// runs as another user.
  [[nodiscard]] bool ask(const std::string& path, inherited_sockets& into);

  /// Requests the predecessor to drain, because this process serves now.
  void stop();

 private:
  net::unique_fd connection_;
};

/// The predecessor's side of a handover: gives the sockets to successors of our own user, until
/// one reports that it serves. Thread-safety: the thread of `control`.
class handover_server {
 public:
  /// Listens on the Unix socket `path`, replacing any previous listener. `on_successor` is
  /// called once. Throws std::system_error if `path` can't be bound.
  handover_server(const std::string& path, const std::vector<offered_socket>& offered,
                  boost::asio::io_context& control, std::function<void()> on_successor);
  ~handover_server();  ///< removes the file, unless a successor has replaced it

  handover_server(const handover_server&) = delete;
  handover_server& operator=(const handover_server&) = delete;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
