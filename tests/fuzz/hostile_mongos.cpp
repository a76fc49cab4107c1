#include "tests/fuzz/hostile_mongos.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "tests/fuzz/hostile_replies.hpp"
#include "tests/fuzz/judging.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"
#include "wire/label_table.hpp"

namespace scattergate::fuzz {
namespace {

using bytes = std::vector<std::byte>;
using wire::limits::header_bytes;

constexpr std::size_t most_replies = 40;

/// Of one endless reply.
constexpr std::size_t most_endless_bytes = std::size_t{1} << 20;

template <typename Number>
void append(bytes& to, Number number) {
  std::array<std::byte, sizeof number> written{};
  wire::store_little(written.data(), number);
  to.insert(to.end(), written.begin(), written.end());
}

void append_document(bytes& to, const bytes& content) {
  append(to, static_cast<std::int32_t>(content.size() + wire::limits::min_document_bytes));
  to.insert(to.end(), content.begin(), content.end());
  to.push_back(std::byte{0});
}

bytes framed(wire::opcode op, std::int32_t request, const bytes& payload) {
  bytes made(header_bytes);
  wire::serialize_header(
      {static_cast<std::int32_t>(payload.size() + header_bytes), 1, request, op},
      std::span{made}.first<header_bytes>());
  made.insert(made.end(), payload.begin(), payload.end());
  return made;
}

/// An OP_REPLY to an OP_QUERY, otherwise an OP_MSG.
bytes reply_with(std::span<const std::byte> document, const wire::message_header& asked) {
  const bool is_old = asked.op == wire::opcode::query;
  bytes payload(is_old ? 16 : 5);
  if (is_old) append(payload, std::int32_t{1});
  payload.insert(payload.end(), document.begin(), document.end());
  return framed(is_old ? wire::opcode::reply : wire::opcode::msg, asked.request_id, payload);
}

bytes message_of(const scripted_reply& reply, const wire::message_header& asked,
                 std::span<const std::byte> request) {
  const std::int32_t to = asked.request_id + (reply.how == manner::misdirected ? 1 : 0);
  switch (reply.kind) {
    case reply_kind::raw:
      return reply.content;
    case reply_kind::compressed:
      return framed(wire::opcode::compressed, to, reply.content);
    case reply_kind::sections:
      return framed(wire::opcode::msg, to, reply.content);
    case reply_kind::absurd: {
      wire::message_header answered = asked;
      answered.request_id = to;
      return reply_with(made_absurd(good_reply(request), reply.content), answered);
    }
    case reply_kind::fields:
    case reply_kind::old_reply:
      break;
  }
  const bool is_old = reply.kind == reply_kind::old_reply;
  bytes payload(is_old ? 16 : 5);
  if (is_old) append(payload, std::int32_t{1});
  append_document(payload, reply.content);
  return framed(is_old ? wire::opcode::reply : wire::opcode::msg, to, payload);
}

/// A connection's other end.
class conversation {
 public:
  conversation(net::unique_fd client, hostile_script script)
      : client_(std::move(client)), script_(std::move(script)) {
    const int on = 1;
    ::setsockopt(client_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  void run() {
    if (script_.speaks_first && !script_.replies.empty() && !reply()) return;
    if (script_.greets && !(receive() && greet())) return;
    while (sent_ < most_replies && !script_.replies.empty()) {
      if (!receive() || !reply()) return;
    }
  }

 private:
  /// The next request; false if there is none.
  bool receive() {
    request_.assign(header_bytes, std::byte{0});
    if (!receive_into(request_)) return false;
    const auto read =
        wire::parse_header(std::span{std::as_const(request_)}.first<header_bytes>());
    if (!read) return false;
    asked_ = *read;
    request_.resize(static_cast<std::size_t>(read->length));
    return receive_into(std::span{request_}.subspan(header_bytes));
  }

  bool receive_into(std::span<std::byte> room) const {
    return ::recv(client_.get(), room.data(), room.size(), MSG_WAITALL) ==
           static_cast<ssize_t>(room.size());
  }

  bool greet() const { return send(reply_with(good_hello().bytes(), asked_)); }

  bool reply() {
    const scripted_reply& next = script_.replies[std::min(sent_, script_.replies.size() - 1)];
    ++sent_;
    const bytes message = message_of(next, asked_, request_);
    switch (next.how) {
      case manner::bytewise:
        return send_bytewise(message);
      case manner::cut_early:
        static_cast<void>(send(
            std::span{message}.first(std::min<std::size_t>(message.size(), header_bytes - 3))));
        return false;
      case manner::cut_late:
        static_cast<void>(send(std::span{message}.first(message.size() - !message.empty())));
        return false;
      case manner::endless:
        return send_endless(message);
      case manner::whole:
      case manner::misdirected:
        break;
    }
    return send(message) && is_whole(message);
  }

  bool send_bytewise(std::span<const std::byte> message) const {
    constexpr std::size_t most_single = 64;
    const std::size_t single = std::min(message.size(), most_single);
    for (std::size_t i = 0; i < single; ++i) {
      if (!send(message.subspan(i, 1))) return false;
    }
    return send(message.subspan(single)) && is_whole(message);
  }

  bool send_endless(std::span<const std::byte> message) const {
    if (message.empty()) return false;
    bytes block;
    constexpr std::size_t block_bytes = std::size_t{1} << 16;
    while (block.size() < block_bytes)
      block.insert(block.end(), message.begin(), message.end());
    for (std::size_t sent = 0; sent < most_endless_bytes; sent += block.size()) {
      if (!send(block)) return false;
    }
    return false;
  }

  /// Whether the reader waits for no more of it; otherwise it would wait until its timeout.
  static bool is_whole(std::span<const std::byte> message) {
    if (message.size() < header_bytes) return false;
    const auto read = wire::parse_header(message.first<header_bytes>());
    return read && static_cast<std::size_t>(read->length) <= message.size();
  }

  bool send(std::span<const std::byte> data) const {
    return ::send(client_.get(), data.data(), data.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(data.size());
  }

  net::unique_fd client_;
  hostile_script script_;
  std::size_t sent_ = 0;
  bytes request_ = bytes(header_bytes);
  wire::message_header asked_;
};

}  // namespace

std::vector<scripted_reply> read_replies(std::span<const std::byte> input) {
  constexpr std::size_t head = 3;
  constexpr unsigned half = 4;
  std::vector<scripted_reply> made;
  while (input.size() >= head) {
    const auto first = std::to_integer<unsigned>(input[0]);
    const std::size_t size = std::min<std::size_t>(
        wire::load_little<std::uint16_t>(input.data() + 1), input.size() - head);
    const auto content = input.subspan(head, size);
    made.push_back({static_cast<reply_kind>((first & 15U) % wire::enum_count<reply_kind>()),
                    static_cast<manner>((first >> half) % wire::enum_count<manner>()),
                    {content.begin(), content.end()}});
    input = input.subspan(head + size);
  }
  return made;
}

hostile_mongos::hostile_mongos() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  require(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  require(::listen(listener_, 16) == 0);
  require(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  std::thread{[this] {
    for (;;) {
      net::unique_fd client{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)};
      if (!client) continue;
      serve(std::move(client));
    }
  }}.detach();
}

void hostile_mongos::serve(net::unique_fd client) {
  conversation made{std::move(client), script()};
  const std::lock_guard lock(mutex_);
  ++running_;
  std::thread{[this, made = std::move(made)]() mutable {
    conversation{std::move(made)}.run();
    const std::lock_guard locked(mutex_);
    --running_;
    has_ended_.notify_all();
  }}.detach();
}

void hostile_mongos::await_end() {
  std::unique_lock lock(mutex_);
  has_ended_.wait_for(lock, std::chrono::seconds{10}, [this] { return running_ == 0; });
}

void hostile_mongos::play(hostile_script next) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(next);
}

hostile_script hostile_mongos::script() {
  const std::lock_guard lock(mutex_);
  return script_;
}

}  // namespace scattergate::fuzz
