#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "net/socket_address.hpp"
#include "net/transport.hpp"
#include "net/unique_fd.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/upstream.hpp"

namespace scattergate::proxy {

/// The interface through which a session_setup uses a session's two sockets.
class setup_sockets {
 public:
  using status = net::io_result::status;
  /// What peek_client() has found: a first byte, or the reason why there is none.
  enum class first_byte : std::uint8_t { none_yet, tls_handshake, other, ended, failed };
  /// The result of starting to connect.
  enum class attempt : std::uint8_t {
    connecting,        ///< connecting; wait until the socket is writable
    failed,            ///< this address can't be reached
    out_of_resources,  ///< this process or host is out of descriptors, ports or memory
  };

  /// Looks at the client's first byte without consuming it.
  [[nodiscard]] virtual first_byte peek_client() noexcept = 0;
  /// Starts TLS with the client; false if that fails.
  [[nodiscard]] virtual bool begin_client_tls(const net::tls_context& tls) = 0;
  /// Continues the TLS handshake with the client.
  [[nodiscard]] virtual status secure_client() = 0;

  /// Starts connecting to mongos. `by`: see net::begin_connect().
  [[nodiscard]] virtual attempt connect(const net::socket_address& to, net::unique_fd by) = 0;
  /// Starts a search for a reachable mongos. Pass the search's result to
  /// session_setup::on_found().
  virtual void search() = 0;
  /// Takes over the socket that search() found; false if the event loop can't watch it.
  [[nodiscard]] virtual bool use(net::unique_fd found) = 0;
  /// Call it when the socket to mongos is writable. Returns true if connecting has succeeded;
  /// otherwise closes the socket.
  [[nodiscard]] virtual bool finish_connect() noexcept = 0;
  /// Sends a PROXY header (with the client's address) to mongos; false if that fails.
  [[nodiscard]] virtual bool announce_client() = 0;
  /// Starts TLS with mongos; false if that fails. `host`: the name that mongos's certificate
  /// must match.
  [[nodiscard]] virtual bool begin_upstream_tls(const net::tls_context& tls,
                                                const std::string& host) = 0;
  /// Continues the TLS handshake with mongos.
  [[nodiscard]] virtual status secure_upstream() = 0;
  /// The reason of a failed TLS handshake with mongos, as text.
  [[nodiscard]] virtual const char* upstream_tls_failure() const noexcept = 0;

  /// Pauses accepting new connections.
  virtual void pause_accepting() = 0;

 protected:
  ~setup_sockets() = default;
};

/// The state machine that sets up a session: TLS with the client, connecting to mongos, TLS
/// with mongos. It uses the session's sockets through setup_sockets.
///
///     securing client ─► connecting ─► securing upstream ─► ready
///      (with TLS)                        (with TLS)
///
/// Every non-const function returns the outcome so far. After `ready` or `over`, call only
/// const functions. Thread-safety: the worker's thread.
class session_setup {
 public:
  /// The state of the setup after an event.
  enum class outcome : std::uint8_t {
    waiting,  ///< the setup waits for a socket, the search or a time limit
    ready,    ///< the setup is complete: the session may relay
    over,     ///< the setup has failed; see reason()
  };

  /// `mongos`: the listener's mongos processes; the setup connects to one of them. `mongos`,
  /// `sockets` and `metrics` must outlive this object. `reserved`: a socket for connecting to
  /// mongos, so that this doesn't fail for lack of descriptors; may be empty.
  session_setup(std::shared_ptr<const listener_settings> listener, upstream& mongos,
                setup_sockets& sockets, telemetry::worker_metrics& metrics,
                clock::time_point now, net::unique_fd reserved = {});

  /// Starts the setup.
  [[nodiscard]] outcome begin(clock::time_point now);
  /// Call it when the client's socket is ready.
  [[nodiscard]] outcome on_client_ready(clock::time_point now);
  /// Call it when the socket to mongos is ready. `is_writable`: whether the socket is ready
  /// for writing.
  [[nodiscard]] outcome on_upstream_ready(bool is_writable);
  /// Call it with the result of setup_sockets::search().
  [[nodiscard]] outcome on_found(upstream::found found);
  /// Ends the setup if it takes too long: TLS with the client longer than limits.first_message,
  /// or connecting to mongos, including TLS, longer than 5 s. Call it periodically.
  [[nodiscard]] outcome check(clock::time_point now, const config::limit_options& limits);

  /// Whether the client's TLS handshake isn't complete yet.
  [[nodiscard]] bool is_securing_client() const noexcept {
    return phase_ == phase::securing_client;
  }
  /// Whether the socket to mongos has connected, and is counted as an open connection.
  [[nodiscard]] bool has_connected() const noexcept {
    return phase_ == phase::securing_upstream;
  }
  /// The address of mongos to which the session is connected. The caller takes it over.
  /// REQUIRES: the outcome is `ready`.
  [[nodiscard]] upstream_use take_use() noexcept { return std::move(use_); }
  /// Why the setup has failed. REQUIRES: the outcome is `over`.
  [[nodiscard]] telemetry::close_reason reason() const noexcept { return reason_; }

 private:
  enum class phase : std::uint8_t { securing_client, connecting, securing_upstream };

  [[nodiscard]] outcome over(telemetry::close_reason why) noexcept;
  [[nodiscard]] outcome meet_client(setup_sockets::first_byte first);
  [[nodiscard]] outcome secure_client(clock::time_point now);
  [[nodiscard]] outcome connect(clock::time_point now);
  [[nodiscard]] outcome search();
  [[nodiscard]] outcome search_elsewhere();
  [[nodiscard]] outcome on_connected();
  [[nodiscard]] outcome secure_upstream();
  [[nodiscard]] outcome give_up();
  [[nodiscard]] outcome give_up_out_of_resources();

  std::shared_ptr<const listener_settings> listener_;
  upstream& upstream_;
  setup_sockets& sockets_;
  telemetry::worker_metrics& metrics_;
  clock::time_point since_;  ///< when securing_client began; later, when connecting began
  net::unique_fd reserved_;  ///< for the first attempt to connect; then empty
  upstream_use use_;         ///< empty until an address is chosen
  phase phase_ = phase::connecting;
  bool has_begun_client_tls_ = false;  ///< TLS with the client has started
  bool has_searched_ = false;  ///< setup_sockets::search() was called; it is called once only
  telemetry::close_reason reason_ = telemetry::close_reason::client_error;
};

}  // namespace scattergate::proxy
