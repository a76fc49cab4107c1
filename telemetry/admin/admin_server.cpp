#include "telemetry/admin/admin_server.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/listener.hpp"
#include "net/network.hpp"
#include "net/socket_address.hpp"
#include "telemetry/admin/admin_access.hpp"
#include "telemetry/admin/admin_guests.hpp"
#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/api.hpp"
#include "telemetry/admin/http_exchange.hpp"
#include "telemetry/admin/shared_answers.hpp"
#include "telemetry/admin/tap_feed.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

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

/// Makes the events of /api/v1/events: one per second, and one soon after a condition (a
/// problem of the daemon) begins or ends. All listeners get the same events. Makes no events
/// while there is no listener. Thread-safety: the thread of `context`.
class event_feed {
 public:
  explicit event_feed(boost::asio::io_context& context)
      : next_(context), made_(context, boost::asio::steady_timer::time_point::max()) {}

  /// Sets the source of the events. `shown` must outlive this object.
  void show(const api& shown) noexcept { shown_ = &shown; }

  /// Whether the feed has a source and hasn't ended.
  [[nodiscard]] bool is_open() const noexcept { return shown_ != nullptr && !has_ended_; }

  /// One connection that listens to the feed. Registered with the feed from construction to
  /// destruction; the feed must outlive it.
  class listener final : public event_source {
   public:
    explicit listener(event_feed& to) : to_(to) {
      if (to_.listeners_ == 0) to_.begin();
      ++to_.listeners_;
    }
    ~listener() override { --to_.listeners_; }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] bool is_open() const noexcept override { return to_.is_open(); }
    [[nodiscard]] boost::asio::steady_timer* awaited() noexcept override { return &to_.made_; }
    /// The latest event, ready to send; empty before the first event and after end().
    [[nodiscard]] std::shared_ptr<const std::string> next() override { return to_.event_; }

   private:
    event_feed& to_;
  };

  /// Ends the feed, and with it the event streams of all listeners.
  void end();

 private:
  void begin();
  void await_check();
  void check_for_changes();
  void make_now();

  const api* shown_ = nullptr;
  boost::asio::steady_timer next_;
  boost::asio::steady_timer made_;  // cancelled on each new event and at the end
  std::shared_ptr<const std::string> event_ = std::make_shared<const std::string>();
  api::seen sent_;
  boost::asio::steady_timer::time_point due_{};          ///< when the next regular event is due
  boost::asio::steady_timer::time_point rests_until_{};  ///< no event is made before this
                                                         ///< time, to limit the CPU time
  std::uint64_t turns_ = 0;                              ///< api::turns() at the last event
  std::size_t listeners_ = 0;
  bool has_ended_ = false;
};

using clock = boost::asio::steady_timer::clock_type;

constexpr std::chrono::seconds interval{1};
constexpr std::chrono::milliseconds check_interval{100};  // for conditions

void event_feed::begin() {
  if (!is_open()) return;
  await_check();
  make_now();
}

void event_feed::await_check() {
  next_.expires_after(check_interval);
  next_.async_wait([this](const boost::system::error_code& error) {
    if (!error) check_for_changes();
  });
}

void event_feed::check_for_changes() {
  if (listeners_ == 0 || !is_open()) return;
  await_check();  // first, because the rest may throw bad_alloc
  const auto start = clock::now();
  if (start < rests_until_ || (start < due_ && shown_->turns() == turns_)) return;
  make_now();
}

/// Makes an event and wakes the listeners. Then makes no other event for as long as this one
/// took.
void event_feed::make_now() {
  const auto start = clock::now();
  due_ = start + interval;
  turns_ = shown_->turns();
  event_ = std::make_shared<const std::string>(
      "event: now\ndata: " + shown_->changes_since(sent_) + "\n\n");
  const auto end = clock::now();
  rests_until_ = end + (end - start);
  made_.cancel();
}

void event_feed::end() {
  has_ended_ = true;
  event_ = std::make_shared<const std::string>();
  next_.cancel();
  made_.cancel();
}

using protocol = admin_door::protocol;

constexpr std::size_t max_connections = 64;
constexpr std::size_t answers_in_want = 8;       // served at once if no descriptor is free
constexpr std::chrono::seconds request_time{5};  // limit for waiting for a request, reading and
                                                 // answering it
constexpr std::chrono::milliseconds accept_pause{100};
constexpr std::chrono::seconds last_answers_time{1};
constexpr std::string_view events_path = "/api/v1/events";
constexpr std::string_view tap_path = "/api/v1/tap";

void log_failure(const std::exception_ptr& failure) noexcept {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    log::write(log::severity::error, log::component::admin, 8001,
               "An exception closed a connection to the admin address",
               {{"error", error.what()}});
  }
}

/// Whether an error only means that the peer has left (for example, a probe that only connects)
/// or that this server has closed the connection.
bool is_going_away(const error_code& error) {
  return error == asio::error::eof || error == asio::error::connection_reset ||
         error == asio::ssl::error::stream_truncated || error == asio::error::bad_descriptor ||
         error == asio::error::operation_aborted;
}

/// While this object lives, closing a tap listener's connection also ends its wait for events,
/// so that its coroutine ends at once.
class wakes_when_cut {
 public:
  wakes_when_cut(admin_guests::handle as, admin_stream& peer, tap_feed::listener& here)
      : as_(as), peer_(peer) {
    as_->close_socket = [&peer, &here] {
      peer.close();
      here.wake();
    };
  }
  ~wakes_when_cut() {
    as_->close_socket = [&peer = peer_] { peer.close(); };
  }
  wakes_when_cut(const wakes_when_cut&) = delete;
  wakes_when_cut& operator=(const wakes_when_cut&) = delete;

 private:
  admin_guests::handle as_;
  admin_stream& peer_;
};

}  // namespace

struct admin_server::impl {
  using guest = admin_guests::handle;
  impl(admin_sockets sockets, const metrics_collector& metrics, const health& health_now,
       const admin_settings& settings)
      : pages(metrics, health_now, settings.page),
        has_page(settings.page),
        used(settings),
        door(context, std::move(sockets.all), settings, admin_door::offer::all),
        last_answers_timer(context),
        answers(context, pages, guests, settings.room.each) {
    if (!sockets.page) return;
    page_door.emplace(context, std::move(*sockets.page), settings,
                      admin_door::offer::page_only);
  }

  asio::awaitable<void> accept_all(admin_door& at);
  asio::awaitable<void> serve(admin_stream& peer, guest as, const admin_door& at);
  asio::awaitable<void> serve_one(admin_stream& peer, boost::beast::flat_buffer& buffer,
                                  guest as, const admin_door& at, bool& goes_on);
  asio::awaitable<void> stream(admin_stream& peer, const request_parser::value_type& request,
                               guest as);
  [[nodiscard]] std::optional<admin_reply> refusal_of(const request_parser::value_type& request,
                                                      guest as, const admin_door& at);
  [[nodiscard]] bool is_for(const request_parser::value_type& request,
                            std::string_view path) const;
  [[nodiscard]] bool is_of_stream(const request_parser::value_type& request) const;
  void start_serving(protocol::socket socket, const admin_door& at);
  void run() noexcept;
  void leave();

  admin_pages pages;
  bool has_page;
  admin_settings used;
  condition_board* conditions = nullptr;
  admin_guests guests{max_connections};  // outlives the coroutines, which end with the context
  asio::io_context context{1};
  admin_door door;
  std::optional<admin_door> page_door;
  asio::steady_timer last_answers_timer;
  spare_descriptors spare{answers_in_want * spare_descriptors::per_answer};
  shared_answers answers;
  event_feed events{context};
  tap_feed tapped{context};
  std::size_t open = 0;
  bool is_ending = false;   // no more connections are accepted
  bool is_leaving = false;  // no more requests are read; only the last answers are sent
  std::thread thread;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

/// Reads and answers one request. Sets `goes_on` to whether the connection may send another
/// one.
asio::awaitable<void> admin_server::impl::serve_one(admin_stream& peer,
                                                    boost::beast::flat_buffer& buffer, guest as,
                                                    const admin_door& at, bool& goes_on) {
  goes_on = false;
  request_parser parser;
  error_code error;
  peer.expires_after(request_time);
  co_await read(peer, buffer, parser, error);
  if (error) {
    const unsigned status = status_of(error);
    if (status == 0) co_return;
    const admin_reply refusal{.status = status, .body = "this request can't be answered\n"};
    const framed_answer framed_refusal = framed(refusal, 11, false);
    co_return co_await write(peer, framed_refusal, false, goes_on);
  }
  const auto& request = parser.get();
  guests.request_received(as);
  const bool is_head = request.method() == http::verb::head;
  shared_reply reply;
  if (auto refused = refusal_of(request, as, at)) {
    reply = std::make_shared<const admin_reply>(std::move(*refused));
  } else if (is_of_stream(request)) {
    co_return co_await stream(peer, request, as);
  } else {
    co_await answers.make(request, as, reply);
  }
  if (!reply || as->is_closed) co_return;
  const bool may_ask_again = request.keep_alive() && !is_ending;
  const framed_answer framed_reply = framed(*reply, request.version(), may_ask_again);
  co_await write(peer, framed_reply, is_head, goes_on);
  guests.reply_sent(as);
  if (as->is_closed) goes_on = false;
}

/// Sends events until the listener leaves or is closed. All listeners of /api/v1/events get the
/// same events; each listener of the tap gets those that its filter accepts.
asio::awaitable<void> admin_server::impl::stream(admin_stream& peer,
                                                 const request_parser::value_type& request,
                                                 guest as) {
  if (is_for(request, events_path)) {
    event_feed::listener here{events};
    co_await send_events(peer, request.version(), here);
  } else {
    tap_feed::listener here{tapped, request.target()};
    const wakes_when_cut cut{as, peer, here};
    co_await send_events(peer, request.version(), here);
  }
}

asio::awaitable<void> admin_server::impl::serve(admin_stream& peer, guest as,
                                                const admin_door& at) {
  error_code error;
  peer.expires_after(request_time);
  co_await peer.handshake(error);
  if (error) {
    if (conditions != nullptr && !is_going_away(error)) {
      conditions->raise(condition_kind::tls_failures, net::peer_text(as->peer),
                        "at the admin address: " + error.message());
    }
    co_return;
  }
  boost::beast::flat_buffer buffer{2 * max_header_bytes};
  for (bool goes_on = true; goes_on;) co_await serve_one(peer, buffer, as, at, goes_on);
  peer.end_writes();
}

asio::awaitable<void> admin_server::impl::accept_all(admin_door& at) {
  while (at.acceptor.is_open()) {
    auto [error, socket] = co_await at.acceptor.async_accept(use_tuple);
    if (!error) {
      start_serving(std::move(socket), at);
      continue;
    }
    const bool is_want = error == asio::error::no_descriptors;
    if (is_want && (spare.release() || guests.make_room())) continue;
    at.accept_again.expires_after(accept_pause);
    co_await at.accept_again.async_wait(use_tuple);
  }
}

#pragma GCC diagnostic pop

/// The refusal to reply with; std::nullopt if the request may pass. Also registers `as` as a
/// listener if the request is for an event stream.
std::optional<admin_reply> admin_server::impl::refusal_of(
    const request_parser::value_type& request, guest as, const admin_door& at) {
  if (at.offers == admin_door::offer::page_only &&
      admin_access::is_public(path_of(request.target()))) {
    return admin_reply{.status = not_found, .body = "not served here; use admin.listen\n"};
  }
  if (auto refused = at.access.refuse({.target = request.target(),
                                       .host = request[http::field::host],
                                       .authorization = request[http::field::authorization],
                                       .fetch_site = request["Sec-Fetch-Site"],
                                       .fetch_mode = request["Sec-Fetch-Mode"],
                                       .fetch_dest = request["Sec-Fetch-Dest"],
                                       .is_get = request.method() == http::verb::get})) {
    return refused;
  }
  if (!is_of_stream(request)) return std::nullopt;
  if (is_for(request, tap_path)) {
    if (auto refused = tapped.refuse(request.target())) return refused;
  }
  using enum admin_guests::stream;
  if (guests.listen(as, is_for(request, tap_path) ? tap : events)) return std::nullopt;
  return admin_reply{.status = unavailable, .body = "too many listeners; retry later\n"};
}

bool admin_server::impl::is_for(const request_parser::value_type& request,
                                std::string_view path) const {
  return has_page && request.method() == http::verb::get && path_of(request.target()) == path;
}

bool admin_server::impl::is_of_stream(const request_parser::value_type& request) const {
  return (events.is_open() && is_for(request, events_path)) ||
         (tapped.is_there() && is_for(request, tap_path));
}

void admin_server::impl::start_serving(protocol::socket socket, const admin_door& at) {
  std::string name = net::peer_key(socket.native_handle());
  net::ssl_handle state;
  if (used.tls) {
    state = used.tls->accept();
    if (!state) return;  // out of memory: closes the socket
  }
  const auto peer = std::make_shared<admin_stream>(std::move(socket), std::move(state));
  const guest as = guests.add(
      std::move(name), [it = peer.get()] { it->close(); },
      [it = peer.get()] { return it->has_left(); });
  ++open;
  asio::co_spawn(context, serve(*peer, as, at),
                 [this, as, peer](const std::exception_ptr& failure) {
                   guests.remove(as);
                   peer->close();
                   --open;
                   spare.refill();
                   if (is_leaving && open == 0) context.stop();
                   log_failure(failure);
                 });
}

void admin_server::impl::leave() {
  events.end();
  tapped.end();
  if (!is_ending || open == 0) return context.stop();
  is_leaving = true;
  last_answers_timer.expires_after(last_answers_time);
  last_answers_timer.async_wait([this](const error_code&) { context.stop(); });
}

void admin_server::impl::run() noexcept {
  log::set_thread_name("admin");
  while (!context.stopped()) {
    try {
      context.run();
    } catch (...) {
      log_failure(std::current_exception());
    }
  }
}

admin_server::admin_server(admin_sockets sockets, const metrics_collector& metrics,
                           const health& health_now, const admin_settings& settings)
    : impl_(std::make_unique<impl>(std::move(sockets), metrics, health_now, settings)) {}

admin_server::~admin_server() {
  stop();
}

void admin_server::show(std::string path, std::string_view content_type,
                        std::function<std::string()> body) {
  impl_->pages.show(std::move(path), content_type, std::move(body));
}

void admin_server::show_digest(live_digest& digest) {
  impl_->pages.show_digest(digest);
}

void admin_server::show_conditions(condition_board& board) {
  impl_->pages.show_conditions(board);
  impl_->conditions = &board;
}

void admin_server::show_api(const api& shown) {
  impl_->pages.show_api(shown);
  impl_->events.show(shown);
}

void admin_server::show_advice(advice_service& service) {
  impl_->pages.show_advice(service);
}

void admin_server::show_tap(live_tap& tap) {
  impl_->tapped.set_source(tap);
}

void admin_server::start() {
  asio::co_spawn(impl_->context, impl_->accept_all(impl_->door), log_failure);
  if (impl_->page_door) {
    asio::co_spawn(impl_->context, impl_->accept_all(*impl_->page_door), log_failure);
  }
  impl_->thread = std::thread{[this] { impl_->run(); }};
}

void admin_server::apply_settings(const admin_settings& settings) {
  asio::post(impl_->context, [this, settings] {
    const bool is_as_open =
        impl_->used.token == settings.token && impl_->used.hosts == settings.hosts;
    impl_->used = settings;
    impl_->door.apply_settings(settings);
    if (impl_->page_door) impl_->page_door->apply_settings(settings);
    if (!is_as_open) impl_->guests.dismiss_listeners();  // clients with access reconnect
  });
}

void admin_server::stop_accepting() {
  asio::post(impl_->context, [this] {
    impl_->is_ending = true;
    impl_->events.end();
    impl_->tapped.end();
    impl_->door.close();
    if (impl_->page_door) impl_->page_door->close();
  });
}

void admin_server::stop() {
  asio::post(impl_->context, [this] { impl_->leave(); });
  if (impl_->thread.joinable()) impl_->thread.join();
  impl_->door.close();
  if (impl_->page_door) impl_->page_door->close();
}

std::uint64_t admin_server::guests_cut() const noexcept {
  return impl_->guests.closed_count();
}

net::endpoint admin_server::bound() const {
  return impl_->door.bound;
}

}  // namespace scattergate::telemetry
