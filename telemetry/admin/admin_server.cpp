#include "telemetry/admin/admin_server.hpp"

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "net/listener.hpp"
#include "net/peer_key.hpp"
#include "net/socket_address.hpp"
#include "telemetry/admin/admin_guests.hpp"
#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/spare_descriptors.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using protocol = asio::generic::stream_protocol;
using stream = boost::beast::basic_stream<protocol>;

constexpr std::size_t max_connections = 64;
constexpr std::size_t max_answer_bytes = 8UL * 1024 * 1024;  // beside the newest answer
constexpr std::size_t answers_in_want = 8;  // at once, with no descriptor free
constexpr std::size_t max_header_bytes = 8 * 1024;
constexpr std::chrono::seconds request_time{5};  // waiting for it, reading and answering it
constexpr std::chrono::milliseconds accept_pause{100};
constexpr std::chrono::seconds last_answers_time{1};
constexpr auto use_tuple = asio::as_tuple(asio::deferred);

using request_parser = http::request_parser<http::empty_body>;
using response = http::response<http::span_body<const char>>;
using shared_reply = std::shared_ptr<const admin_reply>;

void log_failure(const std::exception_ptr& failure) noexcept {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    log::write(log::severity::error, log::component::admin, 8001,
               "An admin connection ended by an exception", {{"error", error.what()}});
  }
}

/// The status of the answer to a request that can't be read; none where only closing helps.
unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit) {
    return static_cast<unsigned>(http::status::request_header_fields_too_large);
  }
  if (error == http::error::unexpected_body || error == http::error::body_limit) {
    return static_cast<unsigned>(http::status::payload_too_large);
  }
  const bool is_http =
      error.category() == http::make_error_code(http::error::end_of_stream).category();
  const bool is_closed =
      error == http::error::end_of_stream || error == http::error::partial_message;
  return is_http && !is_closed ? static_cast<unsigned>(http::status::bad_request) : 0;
}

/// The answer as HTTP frames it; its body stays where it is.
response framed(const admin_reply& reply, unsigned version, bool keep_alive) {
  response framed{static_cast<http::status>(reply.status), version};
  framed.set(http::field::server, "scattergate");
  framed.set(http::field::content_type, reply.content_type);
  framed.set(http::field::cache_control, "no-store");
  framed.set("X-Content-Type-Options", "nosniff");
  framed.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  if (framed.result() == http::status::method_not_allowed) {
    framed.set(http::field::allow, "GET, HEAD");
  }
  framed.keep_alive(keep_alive);
  framed.body() = {reply.body.data(), reply.body.size()};
  framed.prepare_payload();
  return framed;
}

// In optimised builds g++ 12 takes a coroutine frame that it has inlined for memory of another
// kind than Asio's operator delete frees.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

/// Writes the answer; of one to HEAD the header only. False where the connection is done.
asio::awaitable<bool> write(stream& to, response answer, bool is_head) {
  http::response_serializer<http::span_body<const char>> serializer{answer};
  error_code error;
  if (is_head) {
    std::tie(error, std::ignore) = co_await http::async_write_header(to, serializer, use_tuple);
  } else {
    std::tie(error, std::ignore) = co_await http::async_write(to, serializer, use_tuple);
  }
  co_return !error && answer.keep_alive();
}

/// Reads one request. The parser's own limit is one on each line and not on all of them.
asio::awaitable<error_code> read(stream& peer, boost::beast::flat_buffer& buffer,
                                 request_parser& parser) {
  parser.eager(true);
  parser.header_limit(max_header_bytes);
  std::size_t size = 0;
  while (!parser.is_done()) {
    const auto [error, bytes] = co_await http::async_read_some(peer, buffer, parser, use_tuple);
    if (error) co_return error;
    size += bytes;
    if (size > max_header_bytes) co_return http::error::header_limit;
  }
  co_return error_code{};
}

#pragma GCC diagnostic pop

}  // namespace

struct admin_server::impl {
  /// An answer that is being made, for all who wait for it by then.
  struct pending {
    explicit pending(asio::io_context& context)
        : turn(context), made(context, asio::steady_timer::time_point::max()) {}
    asio::steady_timer turn;
    asio::steady_timer made;
    shared_reply reply;
  };
  using guest = admin_guests::handle;

  impl(net::listening_socket socket, const metrics_collector& metrics, const health& health_now,
       bool page)
      : pages(metrics, health_now, page), acceptor(context), accept_again(context),
        farewell(context) {
    const auto local = net::local_of(socket.socket.get());
    acceptor.assign(local.protocol(), socket.socket.release());
    bound = std::move(socket.bound);
  }

  asio::awaitable<void> accept_all();
  asio::awaitable<void> serve(stream& peer, guest as);
  asio::awaitable<bool> serve_one(stream& peer, boost::beast::flat_buffer& buffer, guest as);
  asio::awaitable<void> answer(const request_parser::value_type& request, guest as,
                               shared_reply& into);
  void make(const std::string& path);
  void welcome(protocol::socket socket);
  void run() noexcept;
  void leave();

  admin_pages pages;
  asio::io_context context{1};
  asio::basic_socket_acceptor<protocol> acceptor;
  asio::steady_timer accept_again;
  asio::steady_timer farewell;
  spare_descriptors spare{answers_in_want * spare_descriptors::per_answer};
  admin_guests guests{max_connections, max_answer_bytes};
  std::map<std::string, std::shared_ptr<pending>> waited_for;  // by path
  asio::steady_timer::time_point next_turn{};  // of what is costly
  std::size_t open = 0;
  bool is_ending = false;   // nothing more is accepted
  bool is_leaving = false;  // nor waited for, but for the last answers
  net::endpoint bound;
  std::thread thread;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

/// What is costly is made once for all who have asked for it until its turn comes, so it is
/// never older than the request; and its turn leaves as much time to others as it takes.
///
/// Told where to rather than returned: g++ 12 destroys some temporaries of a co_await expression
/// twice.
asio::awaitable<void> admin_server::impl::answer(const request_parser::value_type& request,
                                                 guest as, shared_reply& into) {
  const std::string target{request.target()};
  const bool is_head = request.method() == http::verb::head;
  const bool is_get = request.method() == http::verb::get;
  if ((!is_get && !is_head) || !admin_pages::is_shared(target)) {
    into = std::make_shared<const admin_reply>(pages.answer(request.method_string(), target));
    co_return;
  }
  const std::string path = target.substr(0, target.find('?'));
  std::shared_ptr<pending>& place = waited_for[path];
  if (!place) {
    place = std::make_shared<pending>(context);
    place->turn.expires_at(next_turn);
    place->turn.async_wait([this, path](const error_code&) { make(path); });
  }
  const std::shared_ptr<pending> awaited = place;
  if (!awaited->reply) co_await awaited->made.async_wait(use_tuple);
  if (!is_head && awaited->reply) guests.answer(as, awaited->reply);
  into = awaited->reply;
}

void admin_server::impl::make(const std::string& path) {
  const std::shared_ptr<pending> awaited = std::move(waited_for[path]);
  waited_for.erase(path);
  awaited->made.cancel();  // they go on after this, whatever happens
  const auto start = asio::steady_timer::clock_type::now();
  awaited->reply = std::make_shared<const admin_reply>(pages.answer("GET", path));
  const auto end = asio::steady_timer::clock_type::now();
  next_turn = end + (end - start);
}

/// One request and its answer. False where the connection is done.
asio::awaitable<bool> admin_server::impl::serve_one(stream& peer,
                                                    boost::beast::flat_buffer& buffer,
                                                    guest as) {
  request_parser parser;
  peer.expires_after(request_time);
  const error_code error = co_await read(peer, buffer, parser);
  if (error) {
    const unsigned status = status_of(error);
    if (status == 0) co_return false;
    const admin_reply refusal{.status = status, .body = "this request can't be answered\n"};
    response framed_refusal = framed(refusal, 11, false);
    co_return co_await write(peer, std::move(framed_refusal), false);
  }
  const auto& request = parser.get();
  guests.asked(as);
  shared_reply reply;
  co_await answer(request, as, reply);
  if (!reply || as->is_cut) co_return false;
  const bool is_head = request.method() == http::verb::head;
  const bool may_ask_again = request.keep_alive() && !is_ending;
  response framed_reply = framed(*reply, request.version(), may_ask_again);
  const bool goes_on = co_await write(peer, std::move(framed_reply), is_head);
  guests.answered(as);
  co_return goes_on && !as->is_cut;
}

asio::awaitable<void> admin_server::impl::serve(stream& peer, guest as) {
  boost::beast::flat_buffer buffer{2 * max_header_bytes};
  while (co_await serve_one(peer, buffer, as)) {
  }
  error_code ignored;
  peer.socket().shutdown(asio::socket_base::shutdown_send, ignored);
}

asio::awaitable<void> admin_server::impl::accept_all() {
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(use_tuple);
    if (!error) {
      welcome(std::move(socket));
      continue;
    }
    const bool is_want = error == asio::error::no_descriptors;
    if (is_want && (spare.release() || guests.make_room())) continue;
    accept_again.expires_after(accept_pause);
    co_await accept_again.async_wait(use_tuple);
  }
}

#pragma GCC diagnostic pop

void admin_server::impl::welcome(protocol::socket socket) {
  std::string peer_name = net::peer_key(socket.native_handle());
  const auto peer = std::make_shared<stream>(std::move(socket));
  const guest as = guests.add(std::move(peer_name), [peer = peer.get()] { peer->close(); });
  ++open;
  asio::co_spawn(context, serve(*peer, as),
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
  if (!is_ending || open == 0) return context.stop();
  is_leaving = true;
  farewell.expires_after(last_answers_time);
  farewell.async_wait([this](const error_code&) { context.stop(); });
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

admin_server::admin_server(net::listening_socket socket, const metrics_collector& metrics,
                           const health& health_now, bool page)
    : impl_(std::make_unique<impl>(std::move(socket), metrics, health_now, page)) {}

admin_server::~admin_server() {
  stop();
}

void admin_server::show_samples(std::function<std::string()> lines) {
  impl_->pages.show_samples(std::move(lines));
}

void admin_server::start() {
  asio::co_spawn(impl_->context, impl_->accept_all(), log_failure);
  impl_->thread = std::thread{[this] { impl_->run(); }};
}

void admin_server::stop_accepting() {
  asio::post(impl_->context, [this] {
    error_code ignored;
    impl_->is_ending = true;
    impl_->acceptor.close(ignored);
    impl_->accept_again.cancel();
  });
}

void admin_server::stop() {
  asio::post(impl_->context, [this] { impl_->leave(); });
  if (impl_->thread.joinable()) impl_->thread.join();
  error_code ignored;
  impl_->acceptor.close(ignored);
}

net::endpoint admin_server::bound() const {
  return impl_->bound;
}

}  // namespace scattergate::telemetry
