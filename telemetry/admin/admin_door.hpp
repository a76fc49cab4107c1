#pragma once

#include <optional>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/listener.hpp"
#include "net/socket_address.hpp"
#include "telemetry/admin/admin_access.hpp"
#include "telemetry/admin/admin_settings.hpp"

namespace scattergate::telemetry {

/// One listening address of the admin server, with its access rules. Thread-safety: the thread
/// of `context`.
struct admin_door {
  using protocol = boost::asio::generic::stream_protocol;

  /// Which paths the address serves. `page_only`: all except /metrics, /healthz and /readyz.
  enum class offer : bool { all, page_only };

  /// Takes ownership of the listening socket. `context` must outlive this object.
  admin_door(boost::asio::io_context& context, net::listening_socket socket,
             const admin_settings& settings, offer offered)
      : local(net::local_of(socket.socket.get())),
        bound(std::move(socket.bound)),
        access(access_of(local, bound, settings)),
        acceptor(context, protocol{local.family(), 0}, socket.socket.release()),
        accept_again(context),
        offers(offered) {}

  /// Replaces the access rules, after a reload.
  void apply_settings(const admin_settings& settings) {
    access = access_of(local, bound, settings);
  }

  /// Stops listening: closes the socket. Open connections stay open.
  void close() {
    boost::system::error_code ignored;
    acceptor.close(ignored);
    accept_again.cancel();
  }

  net::socket_address local;  ///< the socket's actual address
  net::endpoint bound;  ///< the configured address; a configured port 0 is replaced by the port
                        ///< that the kernel chose
  admin_access access;  ///< the rules for requests on this address
  boost::asio::basic_socket_acceptor<protocol> acceptor;
  boost::asio::steady_timer accept_again;  ///< delays the next accept after a failure
  offer offers;                            ///< the paths to serve here
};

}  // namespace scattergate::telemetry
