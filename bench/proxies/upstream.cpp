// A substitute for a mongos: answers every message at once, and stores nothing.
//
//     scattergate-bench-upstream PORT
//
// Exits at the end of its standard input.

#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/proxies/message_buffer.hpp"
#include "bench/request.hpp"
#include "wire/compressed.hpp"
#include "wire/endian.hpp"

namespace scattergate::bench {
namespace {

std::vector<std::byte> reply_with(std::string_view fields) {
  const request made{fields};  // parses like any other message
  return {made.message().begin(), made.message().end()};
}

bool send_whole(int fd, std::span<const std::byte> bytes) {
  return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

class upstream {
 public:
  explicit upstream(int listening) : listening_(listening), epoll_(::epoll_create1(0)) {
    watch(listening_);
    watch(STDIN_FILENO);
  }

  void run() {
    std::array<epoll_event, 256> ready;
    for (;;) {
      const int count = ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = ready[static_cast<std::size_t>(i)].data.fd;
        if (fd == STDIN_FILENO) return;
        if (fd == listening_) {
          accept_one();
        } else if (!serve(fd)) {
          open_.erase(fd);
          ::close(fd);
        }
      }
    }
  }

 private:
  void watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  void accept_one() {
    const int fd = ::accept(listening_, nullptr, nullptr);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(fd);
  }

  bool serve(int fd) {
    message_buffer& incoming = open_[fd];
    const auto room = incoming.room();
    const ssize_t got = ::recv(fd, room.data(), room.size(), MSG_DONTWAIT);
    if (got <= 0) return false;
    bool is_sent = true;
    const auto answer = [&](const auto& header, const auto& message) {
      auto& reply = is_find(header, message) ? found_ : done_;
      wire::store_little(reply.data() + 2 * sizeof(std::int32_t), header.request_id);
      is_sent = is_sent && send_whole(fd, reply);
    };
    return incoming.received(static_cast<std::size_t>(got), answer) && is_sent;
  }

  bool is_find(const wire::message_header& header, std::span<const std::byte> message) {
    if (header.op != wire::opcode::compressed) {
      const auto command = wire::parse_command(header, message);
      return command && command->name == "find";
    }
    const auto packed = wire::parse_op_compressed(header, message);
    if (!packed) return false;
    unpacked_.resize(static_cast<std::size_t>(packed->original.length));
    const auto whole = decompressor_.unpack(*packed, unpacked_);
    return whole && is_find(packed->original, *whole);
  }

  int listening_;
  int epoll_;
  std::map<int, message_buffer> open_;
  wire::decompressor decompressor_;
  std::vector<std::byte> unpacked_;
  std::vector<std::byte> found_ = reply_with(
      R"("cursor": {"firstBatch": [{"_id": 1, "name": "a name of some length"}],
         "id": {"$numberLong": "0"}, "ns": "bench.items"}, "ok": 1.0)");
  std::vector<std::byte> done_ = reply_with(R"("n": 1, "ok": 1.0)");
};

int listen_on(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_bound =
      ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return is_bound && ::listen(fd, 4096) == 0 ? fd : -1;
}

}  // namespace
}  // namespace scattergate::bench

int main(int argc, char** argv) {
  const int listening = argc == 2 ? scattergate::bench::listen_on(std::atoi(argv[1])) : -1;
  if (listening < 0) {
    std::cerr << "usage: scattergate-bench-upstream PORT (a free one)\n";
    return 2;
  }
  scattergate::bench::upstream{listening}.run();
}
