// Load for a proxy: every connection sends its next request when its reply has arrived.
//
//     scattergate-bench-load PORT CONNECTIONS SECONDS PID [KIND]
//
// 60 % are finds by the shard key, 10 % finds without it, 15 % inserts of 1 KiB, 15 % updates:
// KIND plain; with snappy or tls as named. Or all are inserts of 1 MiB (large), scattering
// finds of N shapes (shapes:N), or commands on N collections (collections:N). Prints one JSON
// object: the requests answered in the given time, after a warm-up of a fifth of it; the CPU
// time that process PID used meanwhile; and the median and the 99th percentile of the
// latencies.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <sys/epoll.h>

#include "bench/proxies/client_socket.hpp"
#include "bench/proxies/message_buffer.hpp"
#include "bench/request.hpp"
#include "wire/compressed.hpp"
#include "wire/endian.hpp"

namespace scattergate::bench {
namespace {

using clock = std::chrono::steady_clock;
using message = std::vector<std::byte>;

std::string any_id(std::mt19937_64& random) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id(24, '0');
  for (char& each : id) each = digits[random() % digits.size()];
  return R"({"$oid": ")" + id + "\"}";
}

request any_insert(std::mt19937_64& random, std::size_t text_bytes) {
  return request{R"("insert": "items")",
                 {"documents",
                  {R"({"k": )" + any_id(random) + R"(, "text": ")" +
                   std::string(text_bytes, 'x') + "\"}"}}};
}

request any_request(std::mt19937_64& random) {
  const std::uint64_t part = random() % 100;
  const std::string id = any_id(random);
  if (part < 60) {
    return request{R"("find": "items", "filter": {"k": )" + id + R"(}, "limit": 1)"};
  }
  if (part < 70) return request{R"("find": "items", "filter": {"status": "open"}, "limit": 1)"};
  if (part < 85) return any_insert(random, 1000);
  return request{R"("update": "items")",
                 {"updates", {R"({"q": {"k": )" + id + R"(}, "u": {"$set": {"v": 7}}})"}}};
}

/// The number in `kind` if it begins with `name`: "shapes:10".
std::size_t count_in(std::string_view kind, std::string_view name) {
  if (!kind.starts_with(name)) return 0;
  return std::strtoul(std::string{kind.substr(name.size())}.c_str(), nullptr, 10);
}

request find_of_shape(std::size_t number) {
  return request{R"("find": "items", "filter": {"f)" + std::to_string(number) + "\": 1}"};
}

request command_on(std::size_t collection, std::size_t kind, std::mt19937_64& random) {
  constexpr std::array<std::string_view, 4> commands = {"find", "count", "distinct", "find"};
  const std::string filter = kind == 3 ? "{}" : R"({"k": )" + any_id(random) + "}";
  return request{"\"" + std::string{commands[kind]} + R"(": "c)" + std::to_string(collection) +
                 R"(", ")" + (kind % 3 == 0 ? "filter" : "query") + "\": " + filter};
}

std::vector<message> requests_of(std::string_view kind) {
  std::mt19937_64 random{1};
  std::vector<message> made;
  const auto add = [&](const request& one) {
    made.push_back(kind == "snappy" ? wire::compress(one.message(), wire::compressor::snappy)
                                    : message{one.message().begin(), one.message().end()});
  };
  const std::size_t shapes = count_in(kind, "shapes:");
  const std::size_t collections = count_in(kind, "collections:");
  for (std::size_t i = 0; i < shapes; ++i) add(find_of_shape(i));
  for (std::size_t i = 0; i < 4 * collections; ++i) add(command_on(i / 4, i % 4, random));
  if (!made.empty()) return made;
  const bool is_large = kind == "large";
  for (int i = 0; i < (is_large ? 4 : 2000); ++i) {
    add(is_large ? any_insert(random, 1UL << 20U) : any_request(random));
  }
  return made;
}

double cpu_seconds(pid_t of) {
  clockid_t id{};
  timespec used{};
  if (::clock_getcpuclockid(of, &id) != 0 || ::clock_gettime(id, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

struct connection {
  client_socket socket;
  message_buffer incoming;
  clock::time_point sent;
};

class load {
 public:
  load(int port, std::size_t connections, std::string_view kind)
      : epoll_(::epoll_create1(0)), requests_(requests_of(kind)) {
    SSL_CTX* const tls = kind == "tls" ? SSL_CTX_new(TLS_client_method()) : nullptr;
    connections_.reserve(connections);
    for (std::size_t i = 0; i < connections; ++i) {
      connection& opened =
          connections_.emplace_back(connection{client_socket{port, tls}, {}, {}});
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, opened.socket.fd(), &event);
      send_next(opened);
    }
    SSL_CTX_free(tls);
  }

  void run_until(clock::time_point end) {
    std::array<epoll_event, 256> ready;
    while (clock::now() < end) {
      const int count = ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), 10);
      for (int i = 0; i < count; ++i) {
        on_ready(connections_[ready[static_cast<std::size_t>(i)].data.u64]);
      }
    }
  }

  [[nodiscard]] std::vector<double>& latencies() noexcept { return latencies_; }

 private:
  void send_next(connection& to) {
    message& next = requests_[sent_ % requests_.size()];
    wire::store_little(next.data() + sizeof(std::int32_t), static_cast<std::int32_t>(++sent_));
    to.sent = clock::now();
    to.socket.send_whole(next);
  }

  void on_ready(connection& from) {
    std::size_t replies = 0;
    const auto count = [&](const auto&, const auto&) { ++replies; };
    do {
      const std::size_t got = from.socket.receive(from.incoming.room());
      if (!from.incoming.received(got, count) || replies > 1) {
        throw std::runtime_error("what came isn't the one reply");
      }
    } while (from.socket.holds_more());
    if (replies == 0) return;
    latencies_.push_back(std::chrono::duration<double>(clock::now() - from.sent).count());
    send_next(from);
  }

  int epoll_;
  std::vector<connection> connections_;
  std::vector<message> requests_;
  std::uint32_t sent_ = 0;
  std::vector<double> latencies_;
};

void run(int port, std::size_t connections, double seconds, pid_t proxy,
         std::string_view kind) {
  load all{port, connections, kind};
  const auto time =
      std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
  all.run_until(clock::now() + time / 5);
  all.latencies().clear();
  const auto begin = clock::now();
  const double cpu = cpu_seconds(proxy);
  all.run_until(begin + time);
  const double used = cpu_seconds(proxy) - cpu;
  const double took = std::chrono::duration<double>(clock::now() - begin).count();
  auto& latencies = all.latencies();
  if (latencies.empty()) throw std::runtime_error("no reply came");
  std::ranges::sort(latencies);
  std::cout << R"({"requests": )" << latencies.size() << R"(, "seconds": )" << took
            << R"(, "cpu_seconds": )" << used << R"(, "p50": )"
            << latencies[latencies.size() / 2] << R"(, "p99": )"
            << latencies[latencies.size() / 100 * 99] << "}\n";
}

}  // namespace
}  // namespace scattergate::bench

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::cerr << "usage: scattergate-bench-load PORT CONNECTIONS SECONDS PID [KIND]\n";
    return 2;
  }
  try {
    scattergate::bench::run(std::atoi(argv[1]), static_cast<std::size_t>(std::atoi(argv[2])),
                            std::atof(argv[3]), std::atoi(argv[4]),
                            argc == 6 ? argv[5] : "plain");
  } catch (const std::exception& problem) {
    std::cerr << "scattergate-bench-load: " << problem.what() << '\n';
    return 1;
  }
}
