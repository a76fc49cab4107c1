#include "net/listening_socket.hpp"

#include <cstring>
#include <string>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace scattergate::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using protocol = asio::generic::stream_protocol;

protocol::endpoint resolved(const endpoint& address) {
  if (address.is_unix()) return asio::local::stream_protocol::endpoint{address.path};
  asio::io_context context;
  asio::ip::tcp::resolver resolver{context};
  const auto found = resolver.resolve(address.host, std::to_string(address.port),
                                      asio::ip::resolver_base::passive);
  return found.begin()->endpoint();
}

std::uint16_t port_of(const protocol::endpoint& where) {
  asio::ip::tcp::endpoint tcp;
  std::memcpy(tcp.data(), where.data(), where.size());
  return tcp.port();
}

/// Whether the file is a socket that nobody listens on: left behind by a crash.
bool is_stale_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  asio::io_context context;
  asio::local::stream_protocol::socket probe{context};
  error_code error;
  probe.connect(asio::local::stream_protocol::endpoint{path}, error);
  return error == asio::error::connection_refused;
}

}  // namespace

listening_socket listen_on(const endpoint& address) {
  const protocol::endpoint where = resolved(address);
  if (address.is_unix() && is_stale_socket(address.path)) ::unlink(address.path.c_str());
  asio::io_context context;
  asio::basic_socket_acceptor<protocol> acceptor{context, where.protocol()};
  if (!address.is_unix()) acceptor.set_option(asio::socket_base::reuse_address{true});
  acceptor.bind(where);
  acceptor.listen();
  endpoint bound = address;
  if (!address.is_unix()) bound.port = port_of(acceptor.local_endpoint());
  return {acceptor.release(), where.protocol().family(), std::move(bound)};
}

void forget_address(const endpoint& bound) noexcept {
  if (bound.is_unix()) ::unlink(bound.path.c_str());
}

}  // namespace scattergate::net
