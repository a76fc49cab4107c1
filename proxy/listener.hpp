#pragma once

#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "config/endpoint.hpp"

namespace scattergate::proxy {

using acceptor = boost::asio::ip::tcp::acceptor;

/// Binds `address` once per context, so that the kernel spreads connections over them
/// (SO_REUSEPORT). Port 0 takes a free port, the same for all. Throws
/// boost::system::system_error where the address is taken, by another instance of ours too:
/// SO_REUSEPORT alone would share it silently.
[[nodiscard]] std::vector<acceptor> bind_listeners(
    const config::endpoint& address, const std::vector<boost::asio::io_context*>& contexts);

}  // namespace scattergate::proxy
