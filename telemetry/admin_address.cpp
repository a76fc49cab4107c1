#include "telemetry/admin_address.hpp"

#include <cstring>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace scattergate::telemetry {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using protocol = asio::generic::stream_protocol;

protocol::endpoint resolved(const config::endpoint& address) {
  if (address.is_unix()) return asio::local::stream_protocol::endpoint{address.path};
  asio::io_context context;
  asio::ip::tcp::resolver resolver{context};
  const auto found = resolver.resolve(address.host, std::to_string(address.port),
                                      asio::ip::resolver_base::passive);
  return found.begin()->endpoint();
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

void bind_admin(admin_acceptor& acceptor, const config::endpoint& address) {
  const protocol::endpoint where = resolved(address);
  if (address.is_unix()) {
    if (is_stale_socket(address.path)) ::unlink(address.path.c_str());
    acceptor.open(asio::local::stream_protocol{});
  } else {
    const bool is_v6 = where.data()->sa_family == AF_INET6;
    acceptor.open(is_v6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4());
    acceptor.set_option(asio::socket_base::reuse_address{true});
  }
  acceptor.bind(where);
  acceptor.listen();
}

config::endpoint bound_address(const admin_acceptor& acceptor, const config::endpoint& asked) {
  config::endpoint bound = asked;
  if (asked.is_unix()) return bound;
  const protocol::endpoint where = acceptor.local_endpoint();
  asio::ip::tcp::endpoint tcp;
  std::memcpy(tcp.data(), where.data(), where.size());
  bound.port = tcp.port();
  return bound;
}

void unbind_admin(admin_acceptor& acceptor, const config::endpoint& bound) noexcept {
  if (!acceptor.is_open()) return;
  error_code ignored;
  acceptor.close(ignored);
  if (bound.is_unix()) ::unlink(bound.path.c_str());
}

}  // namespace scattergate::telemetry
