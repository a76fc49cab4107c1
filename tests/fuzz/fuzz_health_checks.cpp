// A health check of a server, in a mongos's place, that sends what the input holds. It is
// counted as passed or failed, or ended with its thread at once; what it says is one line, and
// the upstream is suspected only where a check has failed.
//
// The first byte: 1: a good handshake comes first; 2: the check is under TLS; 4: the first
// reply comes unasked, as it must under TLS. Then replies, as read_replies() reads them.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include <boost/asio/io_context.hpp>

#include "net/tls_context.hpp"
#include "proxy/upstream/upstream_watch.hpp"
#include "telemetry/log/log.hpp"
#include "tests/fuzz/hostile_mongos.hpp"
#include "tests/fuzz/judging.hpp"

namespace {

using namespace scattergate;
using fuzz::require;
using std::chrono::milliseconds;

/// The server, and how to reach it.
struct target {
  fuzz::hostile_mongos server;
  net::endpoint name{"127.0.0.1", server.port(), {}};
  std::shared_ptr<const net::tls_context> tls = net::tls_context::for_upstream({}).value();
};

target& start() {
  std::signal(SIGPIPE, SIG_IGN);  // as the daemon does: OpenSSL writes to a closed socket
  telemetry::log::open("/dev/null", "debug").value();
  return *new target;
}

/// Until the check has been counted, or for a moment: then its end cuts it short.
void wait_for(const telemetry::listener_facts& facts) {
  constexpr milliseconds moment{30};
  const auto until = std::chrono::steady_clock::now() + moment;
  while (facts.health_checks_passed + facts.health_checks_failed == 0 &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
}

void check_conditions(const telemetry::condition_board& board, std::uint64_t failed) {
  constexpr std::size_t longest = 500;
  const auto conditions = board.snapshot();
  require(conditions.size() == failed);
  for (const auto& one : conditions) {
    require(!one.detail.empty() && one.detail.size() < longest);
    require(std::ranges::none_of(one.detail,
                                 [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static target& there = start();
  if (size == 0) return 0;
  const std::uint8_t flags = *data;
  there.server.play(
      {.greets = (flags & 1U) != 0,
       .speaks_first = (flags & 4U) != 0,
       .replies = fuzz::read_replies(std::as_bytes(std::span{data + 1, size - 1}))});
  boost::asio::io_context control;
  telemetry::condition_board board;
  telemetry::listener_facts facts;
  facts.address = "here";
  proxy::upstream mongos{{{there.name}}, control, facts, &board};
  const auto address = mongos.pin(mongos.book().addresses().front());
  {
    proxy::listener_settings settings;
    if ((flags & 2U) != 0) settings.upstream_tls = there.tls;
    const proxy::upstream_watch watch{
        mongos, {.check_interval = std::chrono::hours{1}}, [&settings] { return settings; }};
    wait_for(facts);
  }
  there.server.await_end();
  control.poll();
  const std::uint64_t failed = facts.health_checks_failed;
  require(facts.health_checks_passed + failed <= 1);
  require(address->is_suspect(proxy::upstream::clock::now()) == (failed == 1));
  require(mongos.pinned() == address);
  check_conditions(board, failed);
  return 0;
}
