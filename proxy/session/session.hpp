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
#include "proxy/judging/client_identity.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/session/flow.hpp"
#include "proxy/session/session_fsm.hpp"
#include "proxy/session/session_setup.hpp"
#include "proxy/settings.hpp"
#include "proxy/turn_queue.hpp"
#include "proxy/upstream/upstream.hpp"
#include "telemetry/conditions/condition.hpp"

namespace scattergate::proxy {

class session;

/// A session's interface to its worker. Thread-safety: the worker's thread.
class session_host {
 public:
  [[nodiscard]] virtual proxy::inspector& inspector() noexcept = 0;
  /// Runs session::awaited() on another thread, then calls on_awaited().
  virtual void do_long_work(session& asking) = 0;
  /// Calls session::on_held() when session::held_until() says so.
  virtual void hold(session& asking) = 0;
  [[nodiscard]] virtual block_pool& blocks() noexcept = 0;
  [[nodiscard]] virtual telemetry::memory_budget& memory() noexcept = 0;
  [[nodiscard]] virtual net::event_loop& loop() noexcept = 0;
  /// Calls session::on_found() with the result of upstream::connect().
  virtual void find_upstream(session& asking) = 0;
  /// Pauses accepting. Call it when descriptors or memory run out.
  virtual void pause_accepting() = 0;
  /// Called once, when a session has closed its sockets. The session may be destroyed later.
  virtual void on_closed(session& closed) = 0;
  /// Reports a fault of a connection to the condition board.
  virtual void note_fault(telemetry::condition_kind kind,
                          const telemetry::condition_subject& subject,
                          std::string_view detail) = 0;

 protected:
  ~session_host() = default;
};

/// The way a drain ends a session.
enum class drain_mode : std::uint8_t {
  prompt,   ///< as soon as closing loses nothing
  patient,  ///< for a handover: once it has been idle for a while, so that no request is on its
            ///< way; see session::drain()
};

/// A client's connection and its own connection to mongos: the sockets around a session_fsm,
/// and around a session_setup until it relays. Reads when the loop reports readiness and writes
/// at once. Stops reading from one side while writes to the other side would block.
///
///     setting up ─► relaying ─► closed
///
/// If an allocation fails, only this session ends. Thread-safety: the worker's thread.
class session final : private setup_sockets {
 public:
  /// The arguments that create a session.
  struct origin {
    std::uint64_t id = 0;  ///< unique among the process's connections
    net::unique_fd client;
    std::string host;                         ///< the client's address, without its port
    std::unique_ptr<const std::string> user;  ///< its key in connection_counts; null: `host`
    upstream& mongos;
    std::shared_ptr<const listener_settings> listener;
  };

  session(origin from, session_host& host);
  ~session();

  /// Starts the setup. Call it once, after construction.
  void start();
  /// Call it with the result of upstream::connect(), after session_host::find_upstream().
  void on_found(upstream::found found);

  [[nodiscard]] long_work& awaited() noexcept { return fsm_.awaited(); }
  /// Call it when the work of awaited() has completed.
  void on_awaited();
  /// The session's state in the worker's queue for long work.
  [[nodiscard]] turn_ticket& ticket() noexcept { return ticket_; }
  /// Whether the client is a stranger; see client_identity::is_stranger().
  [[nodiscard]] bool is_strangers() const noexcept { return identity_.is_stranger(); }

  /// The time to check the throttled request again; std::nullopt: call on_held() now.
  [[nodiscard]] std::optional<clock::time_point> held_until(clock::time_point now) const {
    return fsm_.held_until(now);
  }
  /// Call it when the time of held_until() has come, or the throttle has woken the worker.
  void on_held();

  /// Starts a drain. A patient drain first closes connections on which a driver's monitor waits
  /// for topology changes; the driver then retires its other connections between two commands,
  /// which only a client can do safely. Remaining connections are closed once they are idle or,
  /// at the latest, between two messages.
  void drain(drain_mode mode);
  /// Closes both sockets at once. Does nothing if the session is closed.
  void close(telemetry::close_reason reason) noexcept;

  /// Closes the session if its upstream target is no longer used, or a time limit has passed.
  void check(clock::time_point now, const config::limit_options& limits);

  /// Since when the client has waited for the reply to its oldest request. std::nullopt if it
  /// waits for none, or if that is a hello that may wait for topology changes.
  [[nodiscard]] std::optional<clock::time_point> awaits_reply_since() const noexcept {
    return fsm_.awaits_reply_since();
  }

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  /// The session's key in connection_counts.
  [[nodiscard]] const std::string& counted_as() const noexcept {
    return user_ ? *user_ : identity_.remote();
  }
  [[nodiscard]] upstream& mongos() noexcept { return upstream_; }

 private:
  enum direction : std::uint8_t { requests, replies };
  enum class phase : std::uint8_t { setting_up, relaying, closed };

  enum class progress : std::uint8_t { more, blocked };

  /// Receives the loop's events for one of the two sockets.
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
  [[nodiscard]] net::event_loop::standing standing() const noexcept {
    using enum net::event_loop::standing;
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
  [[nodiscard]] bool begin_client_tls(const net::tls_context& with) override;
  [[nodiscard]] status secure_client() override;
  [[nodiscard]] attempt connect(const net::socket_address& to) override;
  void search() override;
  [[nodiscard]] bool use(net::unique_fd found) override;
  [[nodiscard]] bool has_connected() noexcept override;
  [[nodiscard]] bool announce_client() override;
  [[nodiscard]] bool begin_upstream_tls(const net::tls_context& with,
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
  [[nodiscard]] bool may_defer_write(direction way) noexcept;
  [[nodiscard]] step next_step(direction way);
  [[nodiscard]] progress read(direction way, std::size_t needed);
  [[nodiscard]] progress on_end(direction way);
  [[nodiscard]] bool flush(direction way);
  [[nodiscard]] bool is_quiet() const noexcept;
  void write_last_replies() noexcept;
  void drain_patiently(clock::time_point now);
  void note_fault(telemetry::condition_kind kind, std::string_view subject,
                  std::string_view detail) noexcept;
  void note_limit(std::string_view limit, std::string_view detail) noexcept;
  void note_wire_error() noexcept;
  void note_end(telemetry::close_reason why) noexcept;
  void check_relaying(clock::time_point now, const config::limit_options& limits);

  [[nodiscard]] flow& flow_of(direction way) noexcept {
    return way == requests ? requests_ : replies_;
  }

  // What every command touches is contiguous, from the end of identity_ on, and prefetched by
  // the loop. An idle session keeps only these members; what only a message needs is lent to
  // it, or in its pending_request.
  client_identity identity_;
  session_host& host_;
  side client_side_{*this, requests};
  side mongos_side_{*this, replies};
  phase phase_ = phase::setting_up;
  bool has_client_failed_ = false;
  bool is_draining_ = false;
  std::optional<telemetry::close_reason> closing_;  ///< why to close once the client has its
                                                    ///< replies
  clock::time_point now_;
  clock::time_point active_at_;  ///< when the last byte arrived, from either side
  net::transport client_;
  net::transport mongos_;
  telemetry::memory_share memory_;
  flow requests_;
  flow replies_;
  session_fsm fsm_;
  std::uint64_t id_;
  upstream& upstream_;
  std::unique_ptr<const std::string> user_;  ///< on a Unix socket: the name it is counted under
  turn_ticket ticket_;
  clock::time_point since_;               ///< when relaying, or the incoming message, began
  std::unique_ptr<session_setup> setup_;  ///< null once it relays; ends when a reload changes
                                          ///< the settings
  std::shared_ptr<const upstream::target> target_;  ///< set once it relays
  std::uint64_t seen_requests_ = 0;
  std::optional<clock::time_point> patient_since_;  ///< set during a patient drain
};

}  // namespace scattergate::proxy
