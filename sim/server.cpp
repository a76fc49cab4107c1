#include "sim/server.hpp"

#include <charconv>
#include <csignal>
#include <iostream>
#include <memory>
#include <stdexcept>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "sim/message.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
constexpr auto quietly = asio::as_tuple(asio::use_awaitable);

/// The delay between attempts to run a command.
constexpr auto retry_pause = std::chrono::milliseconds{5};

std::string text_of(const tcp::endpoint& where) {
  const std::string host = where.address().to_string();
  const std::string port = std::to_string(where.port());
  return where.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
}

/// Splits "host:port" or "[v6]:port".
std::pair<std::string, std::string> split_address(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::uint16_t port = 0;
  const char* end = address.data() + address.size();
  if (colon == std::string::npos || colon + 1 == address.size() ||
      std::from_chars(address.data() + colon + 1, end, port) !=
          std::from_chars_result{end, std::errc{}}) {
    throw std::runtime_error("not an address of the form host:port: " + address);
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  return {std::move(host), address.substr(colon + 1)};
}

/// A client's connection, from accept or the end of the TLS handshake until it closes. `Stream`
/// is a tcp::socket or TLS over one.
template <typename Stream>
class client_session {
 public:
  client_session(simulator& what, Stream stream)
      : what_(what), stream_(std::move(stream)), timer_(stream_.get_executor()) {}

  asio::awaitable<void> run() {
    boost::system::error_code ignored;
    client_ = what_.connect(text_of(stream_.lowest_layer().remote_endpoint(ignored)));
    while (co_await read_one()) {
      if (!co_await answer_one()) break;
    }
    what_.disconnect();
  }

 private:
  asio::awaitable<bool> read_one() {
    std::array<std::byte, wire::limits::header_bytes> head;
    auto [error, size] = co_await asio::async_read(stream_, asio::buffer(head), quietly);
    if (error) co_return false;
    const auto header = wire::parse_header(head);
    if (!header) co_return false;
    header_ = *header;
    // Trusts the claimed length only as bytes arrive.
    message_.assign(head.begin(), head.end());
    const auto length = static_cast<std::size_t>(header_.length);
    constexpr std::size_t piece_bytes = 256 * 1024;
    while (message_.size() < length) {
      const std::size_t have = message_.size();
      message_.resize(std::min(length, have + piece_bytes));
      auto [failed, more] = co_await asio::async_read(
          stream_, asio::buffer(message_.data() + have, message_.size() - have), quietly);
      if (failed) co_return false;
    }
    co_return unpack(header_, message_, packed_by_);
  }

  asio::awaitable<bool> answer_one() {
    std::optional<received> got;
    document refusal;
    try {
      got = read_message(header_, message_);
      if (!got) co_return false;
    } catch (const command_failure& failure) {
      refusal = error_reply(failure);
    }
    if (!got) co_return co_await send(header_.request_id, refusal, false);
    answer out = co_await run_patiently(got->in);
    if (!got->wants_reply) co_return true;
    std::int32_t response_to = header_.request_id;
    while (true) {
      if (out.delay.count() > 0 && !co_await wait(out.delay)) co_return false;
      if (!co_await send(response_to, out.body, out.streams)) co_return false;
      if (!out.streams) co_return true;
      response_to = sent_id_;
      out = what_.run(client_, next_of(got->in, out.body));
    }
  }

  /// An exhaust hello continues as if the client had repeated it with the last reply's
  /// topologyVersion.
  static const request& next_of(request& in, const document& reply) {
    if (const value* version = reply.find("topologyVersion")) {
      in.body.set("topologyVersion", *version);
    }
    return in;
  }

  asio::awaitable<answer> run_patiently(const request& in) {
    const auto start = std::chrono::steady_clock::now();
    while (true) {
      answer out = what_.run(client_, in);
      if (std::chrono::steady_clock::now() - start >= out.retry_for) co_return out;
      if (!co_await wait(retry_pause)) co_return out;
    }
  }

  asio::awaitable<bool> wait(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    auto [error] = co_await timer_.async_wait(quietly);
    co_return !error;
  }

  asio::awaitable<bool> send(std::int32_t response_to, const document& body, bool more) {
    std::string bytes = write_reply(header_, response_to, body, more);
    sent_id_ = last_request_id();  // other connections' replies are sent in between
    if (packed_by_) bytes = pack(bytes, *packed_by_);
    auto [error, size] = co_await asio::async_write(stream_, asio::buffer(bytes), quietly);
    co_return !error;
  }

  simulator& what_;
  Stream stream_;
  asio::steady_timer timer_;
  connection client_;
  wire::message_header header_;
  std::vector<std::byte> message_;
  std::int32_t sent_id_ = 0;                   ///< the requestID of the last reply
  std::optional<wire::compressor> packed_by_;  ///< the compressor of message_, and of its
                                               ///< replies
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // as for client_session's coroutines

/// `tls`: absent for plain connections.
asio::awaitable<void> run_session(simulator& what, tcp::socket socket,
                                  asio::ssl::context* tls) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay{true}, ignored);
  if (tls == nullptr) {
    client_session session{what, std::move(socket)};
    co_return co_await session.run();
  }
  asio::ssl::stream<tcp::socket> stream{std::move(socket), *tls};
  auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, quietly);
  if (error) co_return;
  client_session session{what, std::move(stream)};
  co_await session.run();
}

#pragma GCC diagnostic pop

void report(const std::exception_ptr& failure) {
  if (failure == nullptr) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& what) {
    std::cerr << "scattergate-sim: a connection ended: " << what.what() << std::endl;
  }
}

/// Throws std::runtime_error with a one-line reason.
tcp::acceptor listen_on(asio::io_context& context, const std::string& address) {
  const auto [host, port] = split_address(address);
  try {
    const auto found = tcp::resolver{context}.resolve(host, port, tcp::resolver::passive);
    return tcp::acceptor{context, found.begin()->endpoint(), true};
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error("cannot listen on " + address + ": " + failure.code().message());
  }
}

asio::awaitable<void> accept_all(simulator& what, tcp::acceptor& acceptor,
                                 asio::ssl::context* tls) {
  while (true) {
    auto [error, socket] = co_await acceptor.async_accept(quietly);
    if (error == asio::error::operation_aborted) co_return;
    if (error) {
      // Probably out of descriptors: some connection will end.
      asio::steady_timer pause{acceptor.get_executor(), std::chrono::milliseconds{50}};
      co_await pause.async_wait(quietly);
      continue;
    }
    asio::co_spawn(acceptor.get_executor(), run_session(what, std::move(socket), tls), report);
  }
}

using tls_context = boost::asio::ssl::context;

/// Runs a step that reads `file`.
template <typename Step>
void with_file(const std::string& file, Step step) {
  try {
    step();
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error("cannot use " + file + " for TLS: " + failure.code().message());
  }
}

/// Creates the TLS context that all connections share; null (no TLS) if `files` names no
/// certificate. Throws std::runtime_error with a one-line reason if a file can't be used.
std::unique_ptr<tls_context> make_tls(const tls_files& files) {
  if (files.cert_file.empty()) return nullptr;
  auto made = std::make_unique<tls_context>(tls_context::tls_server);
  made->set_options(tls_context::default_workarounds | tls_context::no_tlsv1 |
                    tls_context::no_tlsv1_1);
  with_file(files.cert_file, [&] {
    made->use_certificate_chain_file(files.cert_file);
    made->use_private_key_file(files.cert_file, tls_context::pem);
  });
  if (!files.ca_file.empty()) {
    with_file(files.ca_file, [&] { made->load_verify_file(files.ca_file); });
    made->set_verify_mode(boost::asio::ssl::verify_peer |
                          boost::asio::ssl::verify_fail_if_no_peer_cert);
  }
  return made;
}

}  // namespace

void serve(simulator& what, const std::string& address, const tls_files& files,
           const std::function<void(const std::string&)>& ready) {
  asio::io_context context{1};
  tcp::acceptor acceptor = listen_on(context, address);
  const auto tls = make_tls(files);
  asio::signal_set signals{context, SIGTERM, SIGINT};
  signals.async_wait([&context](boost::system::error_code, int) { context.stop(); });
  asio::co_spawn(context, accept_all(what, acceptor, tls.get()), report);
  ready(text_of(acceptor.local_endpoint()));
  context.run();
}

}  // namespace scattergate::sim
