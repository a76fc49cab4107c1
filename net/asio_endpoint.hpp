#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// The address as Asio takes it. Apart from socket_address.hpp, so that only the few files that
/// bind or connect through Asio read its headers.
[[nodiscard]] inline boost::asio::generic::stream_protocol::endpoint asio_endpoint(
    const socket_address& address) {
  return {address.data(), address.size()};
}

}  // namespace scattergate::net
