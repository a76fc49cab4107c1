#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/socket_address.hpp"
#include "net/transport.hpp"
#include "net/unique_fd.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/upstream.hpp"

namespace scattergate::proxy {

/// A connection's two sockets, as far as its setup knows them.
class setup_sockets {
 public:
  using status = net::io_result::status;
  enum class first_byte : std::uint8_t { none_yet, tls_handshake, other, ended, failed };
  enum class attempt : std::uint8_t {
    begun,
    failed,
    out_of_resources,  ///< no mongos is to blame
  };

  /// What the client has begun with; it stays to be read.
  [[nodiscard]] virtual first_byte peek_client() noexcept = 0;
  /// False where TLS can't be begun.
  [[nodiscard]] virtual bool begin_client_tls(const net::tls_context& with) = 0;
  [[nodiscard]] virtual status secure_client() = 0;

  [[nodiscard]] virtual attempt connect(const net::socket_address& to) = 0;
  /// Has on_found() called with what upstream::find() finds.
  virtual void search() = 0;
  /// Uses a socket that was found; false where it can't be.
  [[nodiscard]] virtual bool use(net::unique_fd found) = 0;
  /// Whether what was begun has led to mongos; where not, nothing of it is left.
  [[nodiscard]] virtual bool has_connected() noexcept = 0;
  /// Writes a PROXY header; false where it can't be.
  [[nodiscard]] virtual bool announce_client() = 0;
  /// False where TLS can't be begun.
  [[nodiscard]] virtual bool begin_upstream_tls(const net::tls_context& with,
                                                const std::string& host) = 0;
  [[nodiscard]] virtual status secure_upstream() = 0;
  [[nodiscard]] virtual const char* upstream_tls_failure() const noexcept = 0;

  /// Has nobody accepted for a while.
  virtual void rest_accepting() = 0;

 protected:
  ~setup_sockets() = default;
};

/// How a session comes about, without a socket: everything before the first byte is relayed.
///
///     securing client ─► connecting ─► securing upstream ─► ready
///      (under TLS)                       (under TLS)
///
/// Every function says how far it is. Once it is ready or over, nothing but the questions may
/// be asked.
class session_setup {
 public:
  enum class outcome : std::uint8_t {
    waiting,  ///< for what one of the sockets, the search or the clock will tell
    ready,    ///< to relay
    over,     ///< for reason()
  };

  session_setup(std::shared_ptr<const listener_settings> listener, upstream& mongos,
                setup_sockets& sockets, telemetry::worker_metrics& metrics,
                clock::time_point now);

  [[nodiscard]] outcome begin(clock::time_point now);
  [[nodiscard]] outcome on_client_ready(clock::time_point now);
  [[nodiscard]] outcome on_upstream_ready(bool is_writable);
  [[nodiscard]] outcome on_found(upstream::found found);
  /// Ends what has lasted too long.
  [[nodiscard]] outcome check(clock::time_point now, const config::limit_options& limits);

  [[nodiscard]] bool is_securing_client() const noexcept {
    return phase_ == phase::securing_client;
  }
  /// Whether it counts among the open connections to mongos.
  [[nodiscard]] bool has_connected() const noexcept {
    return phase_ == phase::securing_upstream;
  }
  /// REQUIRES: ready.
  [[nodiscard]] const upstream::target& target() const noexcept { return *target_; }
  /// REQUIRES: over.
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
  clock::time_point since_;  ///< when the phase began, the last for both of mongos's
  std::optional<upstream::target> target_;
  phase phase_ = phase::connecting;
  bool is_under_tls_ = false;  ///< the client
  bool has_searched_ = false;
  telemetry::close_reason reason_ = telemetry::close_reason::client_error;
};

}  // namespace scattergate::proxy
