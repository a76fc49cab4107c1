#include "proxy/acceptor.hpp"

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "net/listener.hpp"
#include "net/socket_address.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "tests/net/engines.hpp"

namespace scattergate::proxy {
namespace {

class acceptor_test : public net::on_each_engine {
 protected:
  void connect_once() {
    clients.push_back(net::begin_connect(net::local_of(listening)));
    ASSERT_TRUE(clients.back());
  }
  telemetry::metrics_collector collector{20};
  telemetry::worker_metrics& metrics = collector.add_worker();
  void SetUp() override {
    on_each_engine::SetUp();
    if (!IsSkipped()) made.emplace(GetParam());
  }
  std::optional<net::event_loop> made;
  net::listener bound = net::bind_listener({"127.0.0.1", 0, {}}, 1);
  int listening = bound.sockets.front().get();
  std::vector<net::unique_fd> accepted;
  std::vector<net::unique_fd> reserved;
  std::vector<net::unique_fd> clients;
  acceptor::reserver reserve = [] { return net::new_socket(AF_INET); };
};

INSTANTIATE_TEST_SUITE_P(, acceptor_test, net::all_engines(), net::name_of_engine);

TEST_P(acceptor_test, accepts_all_that_come_and_nothing_when_stopped) {
  net::event_loop& loop = *made;
  acceptor accepting{std::move(bound.sockets.front()), loop, metrics, reserve,
                     [&](accepted_client client) {
                       EXPECT_TRUE(client.reserved);
                       accepted.push_back(std::move(client.socket));
                       if (accepted.size() == 200) loop.stop();
                     }};
  for (int i = 0; i < 200; ++i) connect_once();
  accepting.start();
  loop.run();
  EXPECT_EQ(accepted.size(), 200U);
  accepting.stop();
  accepting.resume();
  EXPECT_EQ(metrics.accept_failures.get(), 0U);
}

TEST_P(acceptor_test, rests_where_descriptors_have_run_out_and_goes_on_later) {
  net::event_loop& loop = *made;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // They run out after the first connection: UndefinedBehaviorSanitizer needs some of its own
  // at the first call.
  acceptor accepting{std::move(bound.sockets.front()), loop, metrics, reserve,
                     [&](accepted_client client) {
                       const int last = std::max(client.socket.get(), client.reserved.get());
                       const rlimit none{static_cast<rlim_t>(last) + 1, before.rlim_max};
                       reserved.push_back(std::move(client.reserved));
                       accepted.push_back(std::move(client.socket));
                       if (accepted.size() == 2) return loop.stop();
                       ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
                     }};
  connect_once();
  connect_once();
  accepting.start();
  int turns = 0;
  loop.every(std::chrono::milliseconds{1}, [&] {
    if (++turns == 10) ::setrlimit(RLIMIT_NOFILE, &before);
    if (turns % 5 == 0) accepting.resume();
  });
  loop.run();
  EXPECT_EQ(accepted.size(), 2U);
  EXPECT_GE(metrics.accept_failures.get(), 1U);  // once for each try, and not for each turn
  EXPECT_LE(metrics.accept_failures.get(), 3U);
}

TEST_P(acceptor_test, accepts_no_client_that_no_mongos_could_serve) {
  net::event_loop& loop = *made;
  bool has_room = false;
  acceptor accepting{std::move(bound.sockets.front()), loop, metrics,
                     [&] { return has_room ? reserve() : net::unique_fd{}; },
                     [&](accepted_client client) {
                       EXPECT_TRUE(has_room);
                       accepted.push_back(std::move(client.socket));
                       loop.stop();
                     }};
  connect_once();
  accepting.start();
  loop.every(std::chrono::milliseconds{1}, [&] {
    if (metrics.accept_failures.get() < 2) return accepting.resume();
    has_room = true;
    accepting.resume();
  });
  loop.run();
  EXPECT_EQ(accepted.size(), 1U);
  EXPECT_EQ(metrics.accept_failures.get(), 2U);
}

}  // namespace
}  // namespace scattergate::proxy
