// Whatever stands in a mongos's place sends: a server on loopback replies what the input holds,
// to the handshake, a login, the live catalog's reads and an explain. No reply ends the
// process, and what is kept of them is bounded.
//
// The first byte says what the server does by itself: 1: a good handshake; 2: no login. Then
// replies, one behind the other: how it is made (reply_kind), its length in two bytes, its
// bytes. The last one is repeated, up to most_replies; then the connection ends.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/cluster/cluster_mirror.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/text/extended_json.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"

/// libmongoc sleeps for half a second before it connects again. Nothing here waits for
/// anything.
extern "C" int usleep(useconds_t) {
  return 0;
}

namespace {

using namespace scattergate;
using bytes = std::vector<std::byte>;

constexpr std::size_t most_replies = 40;
constexpr std::size_t catalog_bytes = 100'000;

void check(bool holds) {
  if (!holds) std::abort();
}

enum reply_kind : std::uint8_t {
  fields,      ///< the fields of an OP_MSG's document
  sections,    ///< an OP_MSG without its header
  old_reply,   ///< the fields of an OP_REPLY's document
  compressed,  ///< an OP_COMPRESSED without its header
  raw,         ///< a whole message
  kinds,
};

struct script {
  bool greets = false;
  bool has_login = false;
  std::vector<std::pair<reply_kind, bytes>> replies;
};

script read_script(std::span<const std::byte> input) {
  script made;
  if (input.empty()) return made;
  made.greets = (input[0] & std::byte{1}) != std::byte{0};
  made.has_login = (input[0] & std::byte{2}) == std::byte{0};
  input = input.subspan(1);
  while (input.size() >= 3) {
    const auto kind = static_cast<reply_kind>(std::to_integer<unsigned>(input[0]) % kinds);
    const std::size_t size = std::min<std::size_t>(
        wire::load_little<std::uint16_t>(input.data() + 1), input.size() - 3);
    made.replies.emplace_back(kind, bytes{input.begin() + 3, input.begin() + 3 + size});
    input = input.subspan(3 + size);
  }
  return made;
}

template <typename Number>
void append(bytes& to, Number number) {
  std::array<std::byte, sizeof number> written{};
  wire::store_little(written.data(), number);
  to.insert(to.end(), written.begin(), written.end());
}

void append_document(bytes& to, const bytes& content) {
  append(to, static_cast<std::int32_t>(content.size() + 5));
  to.insert(to.end(), content.begin(), content.end());
  to.push_back(std::byte{0});
}

bytes framed(wire::opcode op, std::int32_t request, const bytes& payload) {
  bytes made;
  append(made, static_cast<std::int32_t>(payload.size() + wire::limits::header_bytes));
  append(made, std::int32_t{1});
  append(made, request);
  append(made, static_cast<std::int32_t>(op));
  made.insert(made.end(), payload.begin(), payload.end());
  return made;
}

bytes message_of(reply_kind kind, const bytes& content, std::int32_t request) {
  if (kind == raw) return content;
  if (kind == compressed) return framed(wire::opcode::compressed, request, content);
  if (kind == sections) return framed(wire::opcode::msg, request, content);
  bytes payload(kind == fields ? 5 : 16);
  if (kind == old_reply) append(payload, std::int32_t{1});
  append_document(payload, content);
  return framed(kind == fields ? wire::opcode::msg : wire::opcode::reply, request, payload);
}

/// Answers on a thread of its own, one connection at a time.
class server {
 public:
  server() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    check(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    check(::listen(listener_, 16) == 0);
    check(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    std::thread{[this] {
      for (;;) serve(::accept(listener_, nullptr, nullptr));
    }}.detach();
  }

  [[nodiscard]] unsigned port() const { return port_; }
  void play(script next) {
    const std::lock_guard lock(mutex_);
    script_ = std::move(next);
  }

 private:
  static bool receive(int from, std::byte* to, std::size_t size) {
    return ::recv(from, to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  }

  void serve(int client) {
    if (client < 0) return;
    const int on = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    script now;
    {
      const std::lock_guard lock(mutex_);
      now = script_;
    }
    converse(client, now);
    ::close(client);
  }

  static void converse(int client, const script& now) {
    static const bytes hello =
        config::bson_of_json(
            R"({"ismaster": true, "msg": "isdbgrid", "maxWireVersion": 25, "minWireVersion": 0,
            "maxBsonObjectSize": 16777216, "maxMessageSizeBytes": 48000000,
            "saslSupportedMechs": ["SCRAM-SHA-256", "SCRAM-SHA-1"],
            "logicalSessionTimeoutMinutes": 30, "ok": 1})")
            .bytes;
    bool is_first = now.greets;
    std::size_t sent = 0;
    while (sent < most_replies) {
      std::array<std::byte, wire::limits::header_bytes> header{};
      if (!receive(client, header.data(), header.size())) return;
      const auto read = wire::parse_header(header);
      if (!read) return;
      bytes rest(static_cast<std::size_t>(read->length) - header.size());
      if (!receive(client, rest.data(), rest.size())) return;
      if (now.replies.empty() && !is_first) return;
      bytes reply;
      if (is_first) {
        const bytes content{hello.begin() + 4, hello.end() - 1};
        reply = message_of(read->op == wire::opcode::query ? old_reply : fields, content,
                           read->request_id);
      } else {
        const auto& [kind, content] = now.replies[std::min(sent, now.replies.size() - 1)];
        reply = message_of(kind, content, read->request_id);
        ++sent;
      }
      is_first = false;
      if (::send(client, reply.data(), reply.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(reply.size())) {
        return;
      }
    }
  }

  int listener_;
  unsigned port_ = 0;
  std::mutex mutex_;
  script script_;
};

void load_catalog(config::mongo_client& from) {
  config::catalog_facts facts;
  config::cluster_mirror mirror{{.chunks = 100, .bytes = catalog_bytes}, facts};
  config::load_hooks hooks;
  hooks.publish = [](const std::shared_ptr<const routing::catalog>& made) {
    check(made->collections().size() < catalog_bytes / 100);
  };
  const auto outcome = mirror.load(from, config::load_depth::everything, hooks);
  check(outcome.detail.size() < wire::limits::max_document_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static server& there = *new server;
  static const bytes explain =
      config::bson_of_json(R"({"explain": {"find": "c"}, "verbosity": "queryPlanner"})").bytes;
  script next = read_script(std::as_bytes(std::span{data, size}));
  const std::string uri =
      std::string{"mongodb://"} + (next.has_login ? "ann:pencil@" : "") +
      "127.0.0.1:" + std::to_string(there.port()) +
      "/?serverSelectionTimeoutMS=500&connectTimeoutMS=500&socketTimeoutMS=500";
  there.play(std::move(next));
  const auto client = config::mongo_client::open(uri, "fuzz");
  check(client.has_value());
  load_catalog(**client);
  static_cast<void>((*client)->run("db", wire::document_view::from(explain).value()));
  return 0;
}
