#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "proxy/client_identity.hpp"
#include "proxy/flow_buffer.hpp"
#include "proxy/inspector.hpp"
#include "proxy/session_fsm.hpp"
#include "proxy/upstream.hpp"

namespace scattergate::proxy {

class session;

/// What a session needs of its worker.
/// Thread-safety: one thread, the worker's.
class session_host {
 public:
  [[nodiscard]] virtual inspector& judge() noexcept = 0;
  [[nodiscard]] virtual block_pool& blocks() noexcept = 0;
  virtual void on_closed(session& closed) = 0;

 protected:
  ~session_host() = default;
};

/// One client's connection and its own connection to mongos: the Asio shell around a
/// session_fsm. Reads when told to, writes inline and waits only on would-block; stops reading
/// one side while the other's writes are stuck. Lives and dies on its worker's thread.
/// Thread-safety: one thread.
class session : public std::enable_shared_from_this<session> {
 public:
  using socket = boost::asio::ip::tcp::socket;

  session(socket client, std::string remote, upstream& upstream, session_host& host);
  ~session();

  void start();

  /// Closes at the next moment in which nobody would miss it (at once, where that is now).
  void drain();
  void close(telemetry::close_reason reason);

  /// Gives up on an upstream that hasn't answered for too long, and leaves one that the others
  /// have left.
  void check_upstream(clock::time_point now);

 private:
  enum direction : std::uint8_t { requests, replies };

  /// One direction: from where to where, and what is on the way.
  struct flow {
    flow(socket& from, socket& to, block_pool& pool) noexcept
        : source(from), sink(to), buffer(pool) {}
    socket& source;
    socket& sink;
    flow_buffer buffer;
    std::optional<step> in_hand;          ///< told by the fsm, not yet carried out
    std::span<const std::byte> injected;  ///< to be sent before anything further
    bool is_runnable = false;
    bool is_drained = false;  ///< the last read took all there was: wait before the next
    bool waits_to_read = false;
    bool waits_to_write = false;
    bool waits_for_replies = false;  ///< too many requests are pending
    bool has_ended = false;          ///< the source's FIN was passed on

    [[nodiscard]] bool has_unsent() const noexcept {
      return !injected.empty() || !buffer.approved().empty();
    }
  };
  enum class progress : std::uint8_t { more, blocked };

  void on_connected(const boost::system::error_code& error);
  void pump();
  void run(direction way);
  [[nodiscard]] progress advance(direction way);
  [[nodiscard]] progress carry_out(direction way, const step& next);
  [[nodiscard]] step next_step(direction way);
  [[nodiscard]] progress read(direction way, std::size_t wanted);
  [[nodiscard]] progress on_end(direction way);
  [[nodiscard]] bool flush(direction way);
  void wait_to_read(direction way);
  void wait_to_write(direction way);
  [[nodiscard]] bool is_quiet() noexcept;

  [[nodiscard]] flow& flow_of(direction way) noexcept {
    return way == requests ? requests_ : replies_;
  }

  socket client_;
  socket mongos_;
  upstream& upstream_;
  session_host& host_;
  client_identity identity_;
  session_fsm fsm_;
  flow requests_;
  flow replies_;
  clock::time_point now_;
  clock::time_point connecting_since_;
  upstream::address connected_to_;
  bool is_connecting_ = false;
  bool is_connected_ = false;
  bool is_draining_ = false;
  bool is_closed_ = false;
};

}  // namespace scattergate::proxy
