#include "proxy/upstream/upstream.hpp"

#include <set>

#include <boost/asio/io_context.hpp>
#include <sys/resource.h>

#include "net/listener.hpp"
#include "tests/net/socket_pair.hpp"

namespace scattergate::proxy {
namespace {

class upstream_test : public testing::Test {
 protected:
  upstream::found find(upstream& mongos) {
    upstream::found result;
    int calls = 0;
    mongos.connect([&](upstream::found found) {
      result = std::move(found);
      ++calls;
    });
    context.restart();
    context.run();
    EXPECT_EQ(calls, 1);
    return result;
  }
  void run() {
    context.restart();
    context.run();
  }
  [[nodiscard]] std::vector<net::endpoint> both() const { return {first.bound, second.bound}; }

  boost::asio::io_context context;
  telemetry::metrics_collector collector{20};
  telemetry::listener_facts& facts = collector.add_listener("here", {"first", "second"});
  net::listener first = net::bind_listener({"127.0.0.1", 0, {}}, 1);
  net::listener second = net::bind_listener({"127.0.0.1", 0, {}}, 1);
};

TEST_F(upstream_test, pins_the_first_that_can_be_reached) {
  upstream mongos{both(), context, facts};
  EXPECT_FALSE(mongos.pinned());
  const auto found = find(mongos);
  ASSERT_TRUE(found.socket);
  EXPECT_EQ(found.to.name, 0U);
  EXPECT_EQ(mongos.pinned(), found.to);
  EXPECT_EQ(facts.active, 0U);
  EXPECT_NE(::fcntl(found.socket.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(upstream_test, gives_a_socket_that_is_open_and_connected_each_time) {
  upstream mongos{both(), context, facts};
  std::vector<net::unique_fd> kept;
  for (int i = 0; i < 20; ++i) {
    auto found = find(mongos);
    ASSERT_TRUE(found.socket);
    EXPECT_EQ(to_string(net::endpoint_of(net::peer_of(found.socket.get()))),
              to_string(first.bound));
    for (const auto& other : kept) EXPECT_NE(other.get(), found.socket.get());
    kept.push_back(std::move(found.socket));
  }
}

TEST_F(upstream_test, goes_over_to_the_next_and_stays_there) {
  upstream mongos{both(), context, facts};
  (void)find(mongos);
  first.sockets.clear();
  const auto found = find(mongos);
  ASSERT_TRUE(found.socket);
  EXPECT_EQ(found.to.name, 1U);
  EXPECT_EQ(facts.failovers, 1U);
  const net::listener again = net::bind_listener(first.bound, 1);
  EXPECT_EQ(find(mongos).to.name, 1U);
  EXPECT_EQ(facts.failovers, 1U);
}

TEST_F(upstream_test, finds_nothing_where_no_one_listens_and_pins_nothing) {
  upstream mongos{both(), context, facts};
  first.sockets.clear();
  second.sockets.clear();
  EXPECT_FALSE(find(mongos).socket);
  EXPECT_FALSE(mongos.pinned());
  EXPECT_EQ(facts.active, telemetry::listener_facts::no_upstream);
}

TEST_F(upstream_test, agrees_with_who_has_pinned_another_meanwhile) {
  upstream mongos{both(), context, facts};
  const upstream::target other{net::local_of(second.sockets.front().get()), 1};
  upstream::found result;
  mongos.connect([&](upstream::found found) { result = std::move(found); });
  while (!mongos.pinned() && context.run_one() != 0) {
    if (!mongos.pinned()) (void)mongos.pin(other);  // quicker than the one that is searching
  }
  context.run();
  ASSERT_TRUE(result.socket);
  EXPECT_EQ(result.to, other);
  EXPECT_EQ(to_string(net::endpoint_of(net::peer_of(result.socket.get()))),
            to_string(second.bound));
}

TEST_F(upstream_test, leaves_no_mongos_for_lack_of_descriptors) {
  upstream mongos{both(), context, facts};
  const auto kept = find(mongos);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto found = find(mongos);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(found.socket);
  EXPECT_TRUE(found.is_out_of_resources);
  EXPECT_EQ(mongos.pinned(), kept.to);
  EXPECT_TRUE(find(mongos).socket);
  EXPECT_EQ(facts.failovers, 0U);
}

TEST_F(upstream_test, searches_once_for_all_that_ask_meanwhile) {
  upstream mongos{both(), context, facts};
  std::vector<upstream::found> found;
  const auto ask = [&](int times) {
    for (int i = 0; i < times; ++i) {
      mongos.connect([&](upstream::found result) { found.push_back(std::move(result)); });
    }
    context.restart();
    return context.run();
  };
  ask(20);
  ASSERT_EQ(found.size(), 20U);
  std::set<int> descriptors;
  for (const auto& one : found) {
    EXPECT_EQ(one.to, mongos.pinned());
    descriptors.insert(one.socket.get());
  }
  EXPECT_EQ(descriptors.size(), 20U);
  EXPECT_FALSE(descriptors.contains(-1));
  found.clear();
  first.sockets.clear();
  second.sockets.clear();
  const std::size_t handlers = ask(1'000);
  ASSERT_EQ(found.size(), 1'000U);
  for (const auto& one : found) EXPECT_FALSE(one.socket);
  EXPECT_LT(handlers, 1'100U);  // one each, and those of one search
}

TEST_F(upstream_test, reports_each_name_and_its_error_until_one_is_reached) {
  telemetry::condition_board board;
  upstream mongos{both(), context, facts, &board};
  const auto bound = second.bound;
  first.sockets.clear();
  second.sockets.clear();
  (void)find(mongos);
  auto active = board.snapshot();
  ASSERT_EQ(active.size(), 1U);
  EXPECT_EQ(active[0].subject, to_string(first.bound) + ", " + to_string(second.bound));
  EXPECT_EQ(active[0].detail, to_string(first.bound) + ": Connection refused; " +
                                  to_string(second.bound) + ": Connection refused");
  EXPECT_TRUE(active[0].active);
  second = net::bind_listener(bound, 1);
  EXPECT_TRUE(find(mongos).socket);
  EXPECT_TRUE(board.snapshot().at(0).active);  // a mongos that hangs accepts connections
  mongos.troubles().note_connected();
  run();
  EXPECT_FALSE(board.snapshot().at(0).active);
}

TEST_F(upstream_test, with_health_checks_only_they_end_that_no_mongos_is_reached) {
  telemetry::condition_board board;
  upstream mongos{both(), context, facts, &board};
  mongos.troubles().rely_on_checks();
  mongos.troubles().note_unreachable("no upstream answers health checks", 1);
  mongos.troubles().note_connected();
  run();
  EXPECT_TRUE(board.snapshot().at(0).active);
  mongos.troubles().note_reached();
  run();
  EXPECT_FALSE(board.snapshot().at(0).active);
}

TEST_F(upstream_test, a_search_in_progress_is_no_failure_while_a_mongos_passes_its_checks) {
  telemetry::condition_board board;
  upstream mongos{both(), context, facts, &board};
  facts.upstreams[1].health = telemetry::upstream_health::up;
  mongos.note_timeout(std::chrono::seconds{5});
  run();
  EXPECT_TRUE(board.snapshot().empty());
  facts.upstreams[1].health = telemetry::upstream_health::down;
  mongos.note_timeout(std::chrono::seconds{5});
  run();
  EXPECT_EQ(board.snapshot().size(), 1U);
}

TEST_F(upstream_test, reports_failed_handshakes_until_one_works) {
  telemetry::condition_board board;
  upstream mongos{both(), context, facts, &board};
  mongos.troubles().note_tls_success();
  for (int i = 0; i < 3; ++i) {
    mongos.troubles().note_tls_failure(mongos.names()[0], "certificate has expired");
  }
  run();
  ASSERT_EQ(board.snapshot().size(), 1U);
  EXPECT_EQ(board.snapshot()[0].detail, "certificate has expired");
  EXPECT_EQ(board.snapshot()[0].count, 3U);
  mongos.troubles().note_tls_success();
  run();
  EXPECT_FALSE(board.snapshot()[0].active);
}

TEST_F(upstream_test, says_that_no_one_answered_in_time_where_nothing_is_pinned) {
  telemetry::condition_board board;
  upstream mongos{both(), context, facts, &board};
  mongos.note_timeout(std::chrono::seconds{5});
  context.run();
  EXPECT_EQ(board.snapshot().at(0).detail, "no connection within 5 seconds");
  EXPECT_TRUE(find(mongos).socket);
  mongos.note_timeout(std::chrono::seconds{5});
  run();
  EXPECT_EQ(board.snapshot().at(0).count, 1U);
}

TEST_F(upstream_test, tries_what_is_ill_last) {
  upstream mongos{both(), context, facts};
  mongos.suspect(0, "no answer within 2 seconds");
  EXPECT_EQ(find(mongos).to.name, 1U);
}

}  // namespace
}  // namespace scattergate::proxy
