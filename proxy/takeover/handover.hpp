#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/unique_fd.hpp"
#include "proxy/takeover/systemd.hpp"

/// Restarts without downtime. A running daemon, the predecessor, passes its listening sockets
/// to a new daemon, the successor, over a Unix socket. So no waiting connection is lost:
/// either process can accept it. If the successor bound new sockets instead (SO_REUSEPORT),
/// closing the old sockets would reset the connections that wait in them.
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
  std::string configured;  ///< the socket's address in the configuration
  net::unique_fd socket;   ///< a duplicate of the listening socket
};

/// The successor's side of a handover: its connection to the predecessor.
class predecessor_connection {
 public:
  /// Requests the sockets from the process that listens on the Unix socket `path`, and adds
  /// them to `into`. Waits up to 5 s for each packet. Returns false if no process listens, or
  /// if the process runs as another user (except root). If the process closes the connection
  /// too early, or is too slow, returns whether `into` contains any socket. Throws
  /// std::system_error if no descriptor is left.
  [[nodiscard]] bool ask(const std::string& path, inherited_sockets& into);

  /// Whether another process has taken over from the predecessor: the predecessor has closed
  /// the connection, and a process listens on the Unix socket `path`. If none listens, the
  /// predecessor has died, and this process can use the sockets. REQUIRES: ask() returned true.
  [[nodiscard]] bool has_lost_to_another(const std::string& path) const;

  /// Notifies the predecessor that this process serves clients now, so that it drains.
  void stop();

 private:
  net::unique_fd connection_;
};

/// The predecessor's side of a handover: passes the sockets to successors that run as the same
/// user or as root, until one reports that it serves clients. A successor that hangs delays the
/// next by at most a second: then both have the sockets, and the first one that serves wins.
/// Keeps at most eight connections; closes the oldest for a further one. Never blocks.
/// Thread-safety: the thread of `control`.
class handover_server {
 public:
  /// Listens on the Unix socket `path`; replaces the file of a previous listener. `offered`
  /// must outlive this object. Calls `on_successor` once, when a successor serves clients.
  /// Throws std::system_error if `path` can't be bound.
  handover_server(const std::string& path, const std::vector<offered_socket>& offered,
                  boost::asio::io_context& control, std::function<void()> on_successor);
  ~handover_server();  ///< removes the file at `path`, unless a successor has replaced it

  handover_server(const handover_server&) = delete;
  handover_server& operator=(const handover_server&) = delete;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
