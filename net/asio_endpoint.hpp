#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// Converts an address to an Asio endpoint. This function has a header of its own, so that only
/// files that bind or connect through Asio include Asio's headers.
[[nodiscard]] inline boost::asio::generic::stream_protocol::endpoint asio_endpoint(
    const socket_address& address) {
  return {address.data(), address.size()};
}

}  // namespace scattergate::net
