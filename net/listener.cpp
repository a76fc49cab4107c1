#include "net/listener.hpp"

#include <string>
#include <utility>

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fcntl.h>
#include <sys/socket.h>

#include "net/listening_socket.hpp"

namespace scattergate::net {
namespace {

namespace asio = boost::asio;
using acceptor = asio::ip::tcp::acceptor;
using asio::ip::tcp;
using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

unique_fd ready(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return unique_fd{fd};
}

tcp::endpoint resolve(asio::io_context& context, const endpoint& address) {
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

unique_fd bind_beside(asio::io_context& context, const tcp::endpoint& address) {
  acceptor listening(context);
  listening.open(address.protocol());
  listening.set_option(acceptor::reuse_address(true));
  listening.set_option(reuse_port(true));
  listening.bind(address);
  listening.listen();
  return ready(listening.release());
}

}  // namespace

listener bind_listener(const endpoint& address, std::size_t workers) {
  listener made;
  if (address.is_unix()) {
    auto single = listen_on(address);
    made.bound = std::move(single.bound);
    made.sockets.push_back(ready(single.fd));
    return made;
  }
  asio::io_context context;
  const tcp::endpoint free = probe(context, resolve(context, address));
  made.bound = {free.address().to_string(), free.port(), {}};
  for (std::size_t i = 0; i < workers; ++i) {
    made.sockets.push_back(bind_beside(context, free));
  }
  return made;
}

}  // namespace scattergate::net
