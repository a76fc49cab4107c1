#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include "net/socket_address.hpp"

namespace scattergate::net {

/// The address as an Asio endpoint. A separate header, so that only files that bind or connect
/// through Asio include Asio's headers.
[[nodiscard]] inline boost::asio::generic::stream_protocol::endpoint asio_endpoint(
    const socket_address& address) {
  return {address.data(), address.size()};
}

}  // namespace scattergate::net
