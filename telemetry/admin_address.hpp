#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "config/endpoint.hpp"

/// The admin address's socket, TCP or Unix. Only the admin server includes it.
namespace scattergate::telemetry {

using admin_acceptor =
    boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

/// Opens, binds and listens. A Unix socket that nobody listens on any more is replaced.
/// Throws boost::system::system_error where the address is taken or isn't one of ours.
void bind_admin(admin_acceptor& acceptor, const config::endpoint& address);

/// Where it listens: `asked`, with the port that was taken for 0.
[[nodiscard]] config::endpoint bound_address(const admin_acceptor& acceptor,
                                             const config::endpoint& asked);

/// Closes, and removes a Unix socket's file. Again: nothing.
void unbind_admin(admin_acceptor& acceptor, const config::endpoint& bound) noexcept;

}  // namespace scattergate::telemetry
