#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/event_loop.hpp"
#include "net/failing_memory.hpp"
#include "net/transport.hpp"
#include "proxy/flow_buffer.hpp"
#include "proxy/judging/client_identity.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/judging/long_work.hpp"
#include "proxy/session/reply_side.hpp"
#include "proxy/session/session_fsm.hpp"
#include "proxy/session/session_setup.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/upstream.hpp"
#include "telemetry/conditions/condition.hpp"

namespace scattergate::proxy {

/// One direction of a session: the socket to read from, the socket to write to, and the bytes
/// in between.
struct flow {
  flow(net::transport& from, net::transport& to, block_pool& pool,
       telemetry::memory_share& share) noexcept
      : source(from), sink(to), buffer(pool, share) {}
  net::transport& source;       ///< the socket to read from
  net::transport& sink;         ///< the socket to write to
  flow_buffer buffer;           ///< the bytes between both sockets
  std::optional<step> in_hand;  ///< the session_fsm's last step (what to do next), if it isn't
                                ///< carried out yet
  std::span<const std::byte> injected;  ///< the unsent bytes of scattergate's own reply; they
                                        ///< are sent after the buffer's approved bytes, and
                                        ///< before the next step is carried out
  bool is_runnable = false;  ///< session::pump() must run this direction, because it may be
                             ///< able to continue
  bool is_readable = true;   ///< the source may have bytes: the last read didn't drain it
  bool is_writable = true;   ///< the sink may accept bytes: the last write didn't block
  bool is_yielding = false;  ///< other connections run first; this direction continues when the
                             ///< loop resumes the session
  bool is_hung_up = false;   ///< the source's peer has ended its stream: read until the end
  bool is_waiting = false;   ///< the last step was `wait`, `await` or `hold`: no further
                             ///< request is read until that wait ends (requests only)
  bool is_read_ahead = false;  ///< session::read_ahead() has already read the bytes that the
                               ///< next on_ready() reports
  bool has_ended = false;      ///< the source's stream has ended, and so has the stream to the
                               ///< sink

  /// Whether session::pump() may run this direction now.
  [[nodiscard]] bool may_run() const noexcept { return is_runnable && !is_yielding; }
  /// Whether there are no bytes to send or judge, and no step to carry out.
  [[nodiscard]] bool is_empty() const noexcept {
    return !in_hand && injected.empty() && buffer.is_empty();
  }
  /// Whether only a write is left to do until the source has more bytes.
  [[nodiscard]] bool ends_with_write() const noexcept {
    return in_hand && in_hand->what == step::verb::need && !is_readable && has_unsent();
  }
  /// Whether bytes are ready to send to the sink.
  [[nodiscard]] bool has_unsent() const noexcept {
    return !injected.empty() || !buffer.approved().empty();
  }
};

class session;

/// A session's interface to its worker, the thread that serves the session. Thread-safety: the
/// worker's thread.
class session_host {
 public:
  /// The worker's inspector, which judges requests.
  [[nodiscard]] virtual proxy::inspector& inspector() noexcept = 0;
  /// Runs session::awaited() of `asking` on another thread. Then calls session::on_awaited()
  /// on the worker's thread.
  virtual void do_long_work(session& asking) = 0;
  /// Waits for the throttle or the live catalog, for which the request of `asking` waits: calls
  /// session::on_held() once session::held_until() returns std::nullopt.
  virtual void hold(session& asking) = 0;
  /// The worker's pool of blocks, for buffers.
  [[nodiscard]] virtual block_pool& blocks() noexcept = 0;
  /// The daemon's memory budget (limits.memory).
  [[nodiscard]] virtual telemetry::memory_budget& memory() noexcept = 0;
  /// The worker's event loop.
  [[nodiscard]] virtual net::event_loop& loop() noexcept = 0;
  /// Searches for a reachable mongos. Then calls session::on_found() of `asking` with the
  /// result of upstream::connect().
  virtual void find_upstream(session& asking) = 0;
  /// Pauses accepting new connections. Sessions call it when descriptors or memory run out.
  virtual void pause_accepting() = 0;
  /// The session calls this once, when it has closed its sockets. The session is destroyed at
  /// the end of the loop's current turn, or later if its long work is still running.
  virtual void on_closed(session& closed) = 0;
  /// Reports a fault of a connection to the condition board (the daemon's list of active
  /// problems).
  virtual void note_fault(telemetry::condition_kind kind,
                          const telemetry::condition_subject& subject,
                          std::string_view detail) = 0;

 protected:
  ~session_host() = default;
};

/// How long mongos keeps an idle cursor (its parameter cursorTimeoutMillis).
inline constexpr std::chrono::minutes cursor_time{10};

/// The way a drain ends a session.
enum class drain_mode : std::uint8_t {
  prompt,   ///< closes a connection as soon as closing loses nothing
  patient,  ///< closes a connection once it has been idle for a while: then a request is
            ///< unlikely to be on its way. Used for a handover; see session::drain()
};

/// A client's connection, and a connection to mongos that serves only this client. A
/// session_setup connects and secures the two sockets; then a session_fsm (a state machine)
/// decides which bytes to relay. The session reads when the event loop reports readiness, and
/// writes in the same turn of the loop. While writes to one side would block, it stops reading
/// from the other side.
///
///     setting up ─► relaying ─► closed
///
/// If an allocation fails, only this session ends. Thread-safety: the worker's thread.
class session final : private setup_sockets {
 public:
  /// The arguments that create a session.
  struct origin {
    std::uint64_t id = 0;                     ///< unique among the process's connections
    net::unique_fd client;                    ///< the accepted socket
    std::string host;                         ///< the client's address, without its port
    std::unique_ptr<const std::string> user;  ///< key in connection_counts; null: `host`
    upstream& mongos;                         ///< the listener's mongos
    std::shared_ptr<const listener_settings> listener;  ///< the listener's current settings
    net::unique_fd reserved{};  ///< a socket for net::begin_connect(); may be empty
  };

  /// `host`: the worker; must outlive this object.
  session(origin from, session_host& host);
  ~session();

  /// Starts the setup. Call it once, after construction.
  void start();
  /// The worker calls this with upstream::connect()'s result, after find_upstream().
  void on_found(upstream::found found);

  /// The long work that the worker runs on another thread. Valid until on_awaited().
  [[nodiscard]] long_work& awaited() noexcept { return fsm_.awaited(); }
  /// The worker calls this when the work of awaited() has completed.
  void on_awaited();
  /// This session's state in the worker's long_work_queue, which orders sessions with long
  /// work.
  [[nodiscard]] long_work_ticket& ticket() noexcept { return ticket_; }
  /// Whether the client is a stranger: it has shown no sign of being authenticated.
  [[nodiscard]] bool is_strangers() const noexcept { return identity_.is_stranger(); }

  /// When to call this function again for the request that waits in the throttle's queue, or
  /// for the live catalog. std::nullopt: the wait has ended, call on_held() now.
  [[nodiscard]] std::optional<clock::time_point> held_until(clock::time_point now) const {
    return fsm_.held_until(now);
  }
  /// Goes on with the request that has waited. Call it once held_until() returns no time.
  void on_held();

  /// Starts a drain, which closes the connection. A prompt drain closes it as soon as no
  /// message is incomplete and no reply is outstanding. A patient drain also waits for some
  /// idle time: 0.5 s if a driver's monitor waits for topology changes, otherwise 1.5 s. A
  /// patient drain never closes a connection with an open cursor; without one, it becomes
  /// prompt after 3 s. Monitors' connections close first. Their drivers then close all other
  /// connections themselves, between two commands, so that no command is lost.
  void drain(drain_mode mode);
  /// Closes both sockets at once. Does nothing if the session is closed.
  void close(telemetry::close_reason reason) noexcept;

  /// Closes the session if the listener's mongos has changed, a time limit has passed, or a
  /// patient drain allows it. The worker calls it every 200 ms.
  void check(clock::time_point now, const config::limit_options& limits);

  /// See session_fsm::awaits_reply_since(). std::nullopt if the client has closed its side.
  [[nodiscard]] std::optional<clock::time_point> awaits_reply_since() const noexcept {
    return requests_.has_ended ? std::nullopt : fsm_.awaits_reply_since();
  }
  /// See client_identity::take_success(). False while inspection is off.
  [[nodiscard]] bool take_success() noexcept { return identity_.take_success(); }
  /// Whether the client has a cursor that mongos keeps.
  [[nodiscard]] bool has_open_cursor(clock::time_point now) const noexcept {
    return fsm_.has_open_cursor() && now - active_at_ < cursor_time;
  }

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  /// This session's key in connection_counts: the client's host, or its user on a Unix socket.
  [[nodiscard]] const std::string& counted_as() const noexcept {
    return user_ ? *user_ : identity_.remote();
  }
  [[nodiscard]] upstream& mongos() noexcept { return upstream_; }

 private:
  enum direction : std::uint8_t { requests, replies };
  enum class phase : std::uint8_t { setting_up, relaying, closed };

  /// Whether a direction can continue at once, or must wait for an event.
  enum class progress : std::uint8_t { more, blocked };

  /// Receives the loop's events for one of the two sockets. `from_here`: the direction of the
  /// bytes that are read from the socket.
  struct side final : net::event_loop::watcher {
    side(session& owner, direction incoming) noexcept : of(owner), from_here(incoming) {}
    void on_ready(const net::event_loop::readiness& now) override {
      of.on_ready(from_here, now);
    }
    void read_ahead(const net::event_loop::readiness& now) override {
      of.read_ahead(from_here, now);
    }
    void write_deferred() override { of.write_deferred(from_here); }
    session& of;
    direction from_here;
  };

  /// Runs `work`; closes this session if it runs out of memory.
  template <typename Work>
  void unless_memory_fails(Work work) noexcept {
    if (!net::done_unless_memory_fails(work)) close(telemetry::close_reason::no_memory);
  }
  void read_ahead(direction from_here, const net::event_loop::readiness& now) noexcept;
  void write_deferred(direction way) noexcept;
  void on_ready(direction from_here, const net::event_loop::readiness& now);
  [[nodiscard]] net::event_loop::priority priority() const noexcept {
    using enum net::event_loop::priority;
    return is_strangers() ? stranger : known;
  }
  [[nodiscard]] bool must_wait(const net::event_loop::readiness& now) noexcept;
  void give_way(flow& lane);
  void wait_a_turn();
  [[nodiscard]] bool is_yielding() const noexcept {
    return requests_.is_yielding || replies_.is_yielding;
  }
  void handle_readiness(direction from_here, const net::event_loop::readiness& now);
  void note(direction from_here, const net::event_loop::readiness& now) noexcept;

  [[nodiscard]] first_byte peek_client() noexcept override;
  [[nodiscard]] bool begin_client_tls(const net::tls_context& tls) override;
  [[nodiscard]] status secure_client() override;
  [[nodiscard]] attempt connect(const net::socket_address& to, net::unique_fd by) override;
  void search() override;
  [[nodiscard]] bool use(net::unique_fd found) override;
  [[nodiscard]] bool finish_connect() noexcept override;
  [[nodiscard]] bool announce_client() override;
  [[nodiscard]] bool begin_upstream_tls(const net::tls_context& tls,
                                        const std::string& host) override;
  [[nodiscard]] status secure_upstream() override;
  [[nodiscard]] const char* upstream_tls_failure() const noexcept override;
  void pause_accepting() override;

  void go_on_with_setup(direction from_here, const net::event_loop::readiness& now);
  void take(session_setup::outcome outcome);
  void relay();

  void pump();
  void end_if_over() noexcept;
  [[nodiscard]] bool is_abandoned() const noexcept;
  void run(direction way);
  [[nodiscard]] progress advance(direction way);
  [[nodiscard]] progress carry_out(direction way, const step& next);
  [[nodiscard]] bool try_defer_write(direction way) noexcept;
  [[nodiscard]] step next_step(direction way);
  [[nodiscard]] progress read(direction way, std::size_t needed);
  [[nodiscard]] progress on_end(direction way);
  [[nodiscard]] bool flush(direction way);
  [[nodiscard]] bool is_quiet() const noexcept;
  void write_last_replies() noexcept;
  void drain_patiently(clock::time_point now);
  void note_fault(telemetry::condition_kind kind, std::string_view subject,
                  std::string_view detail);
  void note_limit(std::string_view limit, std::string_view detail);
  void note_wire_error();
  void note_end(telemetry::close_reason why);
  void check_relaying(clock::time_point now, const config::limit_options& limits);

  [[nodiscard]] flow& flow_of(direction way) noexcept {
    return way == requests ? requests_ : replies_;
  }

  // The members that every command uses are contiguous, starting at the end of identity_: the
  // loop prefetches them. An idle session has no other memory. Buffers are lent by the
  // block_pool; the state of a request is in its pending_request.
  client_identity identity_;
  session_host& host_;
  side client_side_{*this, requests};
  side mongos_side_{*this, replies};
  phase phase_ = phase::setting_up;
  bool has_client_failed_ = false;
  bool is_draining_ = false;
  std::optional<telemetry::close_reason> closing_;  ///< why to close once all replies are sent
  clock::time_point now_;                           ///< the time of the current event
  clock::time_point active_at_;  ///< when the last byte arrived, from either side
  net::transport client_;
  net::transport mongos_;
  telemetry::memory_share memory_;
  flow requests_;
  flow replies_;
  session_fsm fsm_;
  std::uint64_t id_;
  upstream& upstream_;
  std::unique_ptr<const std::string> user_;  ///< on a Unix socket: the key in connection_counts
  long_work_ticket ticket_;
  clock::time_point since_;               ///< start of relaying; later of the incoming message
  std::unique_ptr<session_setup> setup_;  ///< null once the session relays
  upstream_use use_;                      ///< set once the session relays
  std::uint64_t seen_requests_ = 0;       ///< requests_seen() at the last check()
  std::optional<clock::time_point> patient_since_;  ///< set during a patient drain
};

}  // namespace scattergate::proxy
