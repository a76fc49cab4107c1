#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/asio_forward.hpp"
#include "net/unique_fd.hpp"
#include "proxy/takeover/inherited_sockets.hpp"

/// A restart that nobody notices. The successor asks its predecessor for the listening sockets
/// themselves, over a Unix socket: a connection that waits in one to be accepted belongs to
/// whoever accepts it, so none is lost; closing a socket and binding another beside it
/// (SO_REUSEPORT) would reset what waits in it.
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
  std::string configured;  ///< the address as its listener was told it
  net::unique_fd socket;
};

/// The successor's side of a handover under way.
class predecessor {
 public:
  /// Asks whoever listens on the Unix socket `path`, if anybody of our own user does, and adds
  /// what it hands over to `into`. Blocks for some seconds at most. False where there is
  /// nobody.
  [[nodiscard]] bool ask(const std::string& path, inherited_sockets& into);

  /// We serve now: it can drain. A predecessor that is never told goes on.
  void relieve();

 private:
  net::unique_fd connection_;
};

/// The predecessor's side: hands the sockets to the first successor of our own user that asks,
/// until one says that it serves.
/// Thread-safety: one thread, that of `control`.
class handover_server {
 public:
  /// Listens on the Unix socket `path`, in the place of whoever did before. `on_relieved` is
  /// called once. Throws std::system_error where `path` can't be bound.
  handover_server(const std::string& path, const std::vector<offered_socket>& offered,
                  boost::asio::io_context& control, std::function<void()> on_relieved);
  ~handover_server();  ///< removes the file, unless it is a successor's by now

  handover_server(const handover_server&) = delete;
  handover_server& operator=(const handover_server&) = delete;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace scattergate::proxy
