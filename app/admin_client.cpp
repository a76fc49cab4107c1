#include "app/admin_client.hpp"

#include <array>
#include <memory>
#include <span>

#include "net/patient_connection.hpp"

namespace scattergate::app {
namespace {

using clock = net::patient_connection::clock;
using status = net::io_result::status;
using connection = std::unique_ptr<net::patient_connection>;

connection connect_to(const net::endpoint& to, clock::time_point until) {
  const auto addresses = net::resolve(to);
  if (!addresses) return nullptr;
  for (const auto& address : *addresses) {
    auto made = std::make_unique<net::patient_connection>(address, until);
    if (made->is_connected()) return made;
  }
  return nullptr;
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

}  // namespace

admin_answer get_from_admin(const net::endpoint& address, std::string_view path,
                            std::size_t max_bytes, std::chrono::seconds patience) {
  const auto until = clock::now() + patience;
  const connection over = connect_to(address, until);
  admin_answer answer;
  answer.is_connected = over != nullptr;
  if (!answer.is_connected) return answer;
  const std::string request = "GET " + std::string{path} +
                              " HTTP/1.1\r\nHost: scattergate\r\nConnection: close\r\n\r\n";
  received reply = ask(*over, request, max_bytes, until);
  answer.is_whole = reply.is_whole;
  answer.status_line = reply.bytes.substr(0, reply.bytes.find('\r'));
  const std::size_t head = reply.bytes.find("\r\n\r\n");
  if (head != reply.bytes.npos) answer.body = reply.bytes.substr(head + 4);
  return answer;
}

}  // namespace scattergate::app
