#include "proxy/listener.hpp"

#include <string>

#include <boost/asio/detail/socket_option.hpp>
#include <sys/socket.h>

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

tcp::endpoint resolve(asio::io_context& context, const config::endpoint& address) {
  tcp::resolver resolver(context);
  return resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive)
      .begin()
      ->endpoint();
}

/// Fails where anybody listens there already. Returns the address with its port chosen.
tcp::endpoint probe(asio::io_context& context, const tcp::endpoint& address) {
  acceptor alone(context);
  alone.open(address.protocol());
  alone.set_option(acceptor::reuse_address(true));
  alone.bind(address);
  alone.listen();
  return alone.local_endpoint();
}

}  // namespace

std::vector<acceptor> bind_listeners(const config::endpoint& address,
                                     const std::vector<asio::io_context*>& contexts) {
  const tcp::endpoint free = probe(*contexts.front(), resolve(*contexts.front(), address));
  std::vector<acceptor> listeners;
  for (asio::io_context* context : contexts) {
    acceptor& listener = listeners.emplace_back(*context);
    listener.open(free.protocol());
    listener.set_option(acceptor::reuse_address(true));
    listener.set_option(reuse_port(true));
    listener.bind(free);
    listener.listen();
  }
  return listeners;
}

}  // namespace scattergate::proxy
