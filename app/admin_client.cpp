#include "app/admin_client.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include <boost/asio/ssl/context.hpp>

#include "net/patient_connection.hpp"
#include "net/tls_context.hpp"

namespace scattergate::app {
namespace {

using clock = net::patient_connection::clock;
using status = net::io_result::status;
using connection = std::unique_ptr<net::patient_connection>;

text::result<connection> connect_to(const net::endpoint& to, clock::time_point until) {
  const auto addresses = net::resolve(to);
  if (!addresses) return text::failure(addresses.error().message());
  text::problem last = text::failure("the name has no address");
  for (const auto& address : *addresses) {
    auto made = std::make_unique<net::patient_connection>(address, until);
    if (made->is_connected()) return made;
    last = text::failure(std::generic_category().message(errno));
  }
  return last;
}

struct received {
  std::string bytes;
  bool is_whole = false;
};

// What of the reply comes in time.
received ask(net::patient_connection& over, std::string_view request, std::size_t max_bytes,
             clock::time_point until) {
  received reply;
  if (!over.write(std::as_bytes(std::span{request}))) return reply;
  std::array<char, 4096> part;
  while (reply.bytes.size() < max_bytes && clock::now() < until) {
    const auto got = over.read_some(std::as_writable_bytes(std::span{part}));
    reply.is_whole = got.what == status::ended;
    if (got.what != status::done) break;
    reply.bytes.append(part.data(), got.bytes);
  }
  return reply;
}

/// A client's side of TLS with whoever is there.
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

bool secure(net::patient_connection& over, const admin_address& with) {
  net::ssl_handle state =
      with.trust ? with.trust->connect_over(over.fd(), with.at.host) : trusting(over.fd());
  return state && over.secure(std::move(state));
}

std::string request_of(const admin_address& to, std::string_view path) {
  const std::string host = to.at.is_unix() ? "localhost" : to_string(to.at);
  std::string request = "GET " + std::string{path} + " HTTP/1.1\r\nHost: " + host + "\r\n";
  if (!to.token.empty()) request += "Authorization: Bearer " + to.token + "\r\n";
  return request + "Connection: close\r\n\r\n";
}

}  // namespace

text::result<admin_answer> get_from_admin(const admin_address& address, std::string_view path,
                                          std::size_t max_bytes,
                                          std::chrono::seconds patience) {
  const auto until = clock::now() + patience;
  const auto connected = connect_to(address.at, until);
  if (!connected) return connected.error();
  net::patient_connection& over = **connected;
  if (address.has_tls && !secure(over, address)) {
    return text::problem{"TLS fails", over.tls_failure()};
  }
  admin_answer answer;
  received reply = ask(over, request_of(address, path), max_bytes, until);
  answer.is_whole = reply.is_whole;
  answer.status_line = reply.bytes.substr(0, reply.bytes.find('\r'));
  const std::size_t head = reply.bytes.find("\r\n\r\n");
  if (head != reply.bytes.npos) answer.body = reply.bytes.substr(head + 4);
  return answer;
}

}  // namespace scattergate::app
