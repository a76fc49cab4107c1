#include "app/admin_client.hpp"

#include <cerrno>
#include <memory>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "net/blocking_connection.hpp"
#include "net/tls_context.hpp"

namespace scattergate::app {
namespace {

namespace http = boost::beast::http;
using clock = net::blocking_connection::clock;
using status = net::io_result::status;
using connection = std::unique_ptr<net::blocking_connection>;

text::result<connection> connect_to(const net::endpoint& to, clock::time_point until) {
  const auto addresses = net::resolve(to);
  if (!addresses) return text::failure(addresses.error().message());
  text::problem last = text::failure("the name has no addresses");
  for (const auto& address : *addresses) {
    auto made = std::make_unique<net::blocking_connection>(address, until);
    if (made->await_connected()) return made;
    last = text::failure(std::generic_category().message(errno));
  }
  return last;
}

/// Sends a request and reads the part of the answer that comes in time. A large Content-Length
/// can't cause a large allocation, because the parser refuses a length beyond `max_bytes`.
text::result<admin_answer> ask(net::blocking_connection& over, std::string_view request,
                               std::size_t max_bytes) {
  admin_answer answer;
  if (!over.write(std::as_bytes(std::span{request}))) return answer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(max_bytes);
  parser.eager(true);
  boost::beast::flat_buffer unread;
  boost::beast::error_code error;
  while (!parser.is_done() && (!error || error == http::error::need_more)) {
    constexpr std::size_t part_bytes = 16UL << 10;
    const auto room = unread.prepare(part_bytes);
    const auto got = over.read_some({static_cast<std::byte*>(room.data()), room.size()});
    answer.is_closed = got.what == status::ended;
    if (answer.is_closed && parser.got_some()) parser.put_eof(error);
    if (got.what != status::done) break;
    unread.commit(got.bytes);
    unread.consume(parser.put(unread.data(), error));
  }
  answer.is_too_large = error == http::error::body_limit;
  answer.is_whole = parser.is_done();
  if (!parser.is_header_done()) {
    const bool is_cut =
        !error || error == http::error::need_more || error == http::error::partial_message;
    if (!is_cut) return text::failure("the reply isn't HTTP");
    return answer;
  }
  answer.status = parser.get().result_int();
  answer.status_line = parser.get().version() == 10 ? "HTTP/1.0 " : "HTTP/1.1 ";
  answer.status_line +=
      std::to_string(answer.status) + ' ' + std::string{parser.get().reason()};
  answer.body = std::move(parser.get().body());
  return answer;
}

/// A TLS client that accepts any certificate.
net::ssl_handle trusting(int fd) {
  namespace ssl = boost::asio::ssl;
  ssl::context context{ssl::context::tls_client};
  context.set_verify_mode(ssl::verify_none);
  context.set_options(SSL_OP_IGNORE_UNEXPECTED_EOF);
  net::ssl_handle state{SSL_new(context.native_handle())};
  if (!state || SSL_set_fd(state.get(), fd) != 1) return nullptr;
  SSL_set_connect_state(state.get());
  return state;
}

bool secure(net::blocking_connection& over, const admin_address& with) {
  net::ssl_handle state =
      with.trust ? with.trust->connect_over(over.fd(), with.at.host) : trusting(over.fd());
  return state && over.secure(std::move(state));
}

std::string request_of(const admin_address& to, std::string_view path) {
  http::request<http::empty_body> request{http::verb::get, path, 11};
  request.set(http::field::host, to.at.is_unix() ? "localhost" : to_string(to.at));
  if (!to.token.empty()) request.set(http::field::authorization, "Bearer " + to.token);
  request.set(http::field::connection, "close");
  std::ostringstream text;
  text << request;
  return text.str();
}

}  // namespace

text::result<admin_answer> get_from_admin(const admin_address& address, std::string_view path,
                                          std::size_t max_bytes,
                                          std::chrono::seconds patience) {
  const auto until = clock::now() + patience;
  const auto connected = connect_to(address.at, until);
  if (!connected) return connected.error();
  net::blocking_connection& over = **connected;
  if (address.has_tls && !secure(over, address)) {
    return text::problem{"TLS fails", over.tls_failure()};
  }
  return ask(over, request_of(address, path), max_bytes);
}

}  // namespace scattergate::app
