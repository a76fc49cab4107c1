#include "net/listener.hpp"

#include <cerrno>
#include <string>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/socket_address.hpp"

namespace scattergate::net {
namespace {

namespace asio = boost::asio;
using acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

/// Whether the file is a socket without a listener, left behind by a crash.
bool is_stale_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const unique_fd probe = begin_connect(unix_address(path));
  return !probe && errno == ECONNREFUSED;
}

/// `is_shared`: other sockets of this process may listen on the address, too.
unique_fd listen_at(const socket_address& where, bool is_shared) {
  asio::io_context context;
  const asio::generic::stream_protocol::endpoint at{where.data(), where.size()};
  acceptor made{context, at.protocol()};
  if (where.family() != AF_UNIX) made.set_option(acceptor::reuse_address{true});
  if (is_shared) made.set_option(reuse_port{true});
  made.native_non_blocking(true);
  made.bind(at);
  made.listen();
  return unique_fd{made.release()};
}

}  // namespace

listening_socket listen_on(const endpoint& address) {
  const socket_address where = resolve(address).value().front();
  if (address.is_unix() && is_stale_socket(address.path)) ::unlink(address.path.c_str());
  listening_socket made{address, listen_at(where, false)};
  if (!address.is_unix()) made.bound.port = port_of(local_of(made.socket.get()));
  return made;
}

listener bind_listener(const endpoint& address, std::size_t workers) {
  listening_socket alone = listen_on(address);
  listener made;
  if (address.is_unix()) {
    made.bound = std::move(alone.bound);
    made.sockets.push_back(std::move(alone.socket));
    return made;
  }
  const socket_address free = local_of(alone.socket.get());
  alone.socket.reset();
  made.bound = endpoint_of(free);
  for (std::size_t i = 0; i < workers; ++i) made.sockets.push_back(listen_at(free, true));
  return made;
}

void forget_address(const endpoint& bound) noexcept {
  if (bound.is_unix()) ::unlink(bound.path.c_str());
}

}  // namespace scattergate::net
