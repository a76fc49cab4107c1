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
  [[nodiscard]] upstream_settings with(config::upstream_choice choice) const {
    return {{first.bound, second.bound}, choice, {}, std::chrono::minutes{1}};
  }
  [[nodiscard]] upstream_settings listed() const {
    return with(config::upstream_choice::listed);
  }
  /// The address of a listener, which must be one of those of `mongos`.
  static upstream_address_ptr address(upstream& mongos, const net::endpoint& bound) {
    for (const auto& each : mongos.book().addresses()) {
      if (each->name() == bound) return each;
    }
    return nullptr;
  }

  boost::asio::io_context context;
  telemetry::metrics_collector collector{20};
  telemetry::listener_facts& facts = collector.add_listener("here");
  net::listener first = net::bind_listener({"127.0.0.1", 0, {}}, 1);
  net::listener second = net::bind_listener({"127.0.0.1", 0, {}}, 1);
};

TEST_F(upstream_test, pins_the_first_that_can_be_reached) {
  upstream mongos{listed(), context, facts};
  EXPECT_FALSE(mongos.pinned());
  const auto found = find(mongos);
  ASSERT_TRUE(found.socket);
  EXPECT_EQ(found.to->name(), first.bound);
  EXPECT_EQ(mongos.pinned(), found.to);
  EXPECT_TRUE(facts.upstreams().at(0).is_active());
  EXPECT_NE(::fcntl(found.socket.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(upstream_test, gives_a_socket_that_is_open_and_connected_each_time) {
  upstream mongos{listed(), context, facts};
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
  upstream mongos{listed(), context, facts};
  (void)find(mongos);
  first.sockets.clear();
  const auto found = find(mongos);
  ASSERT_TRUE(found.socket);
  EXPECT_EQ(found.to->name(), second.bound);
  EXPECT_EQ(facts.failovers, 1U);
  const net::listener again = net::bind_listener(first.bound, 1);
  EXPECT_EQ(find(mongos).to->name(), second.bound);
  EXPECT_EQ(facts.failovers, 1U);
}

TEST_F(upstream_test, finds_nothing_where_no_one_listens_and_pins_nothing) {
  upstream mongos{listed(), context, facts};
  first.sockets.clear();
  second.sockets.clear();
  EXPECT_FALSE(find(mongos).socket);
  EXPECT_FALSE(mongos.pinned());
  EXPECT_FALSE(facts.upstreams().at(0).is_active());
}

TEST_F(upstream_test, agrees_with_who_has_pinned_another_meanwhile) {
  upstream mongos{listed(), context, facts};
  const auto other = address(mongos, second.bound);
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
  upstream mongos{listed(), context, facts};
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
  upstream mongos{listed(), context, facts};
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
  upstream mongos{listed(), context, facts, &board};
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
  upstream mongos{listed(), context, facts, &board};
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
  upstream mongos{listed(), context, facts, &board};
  address(mongos, second.bound)->set_health(telemetry::upstream_health::up, {});
  mongos.note_timeout(std::chrono::seconds{5});
  run();
  EXPECT_TRUE(board.snapshot().empty());
  address(mongos, second.bound)->set_health(telemetry::upstream_health::down, "it fails");
  mongos.note_timeout(std::chrono::seconds{5});
  run();
  EXPECT_EQ(board.snapshot().size(), 1U);
}

TEST_F(upstream_test, reports_failed_handshakes_until_one_works) {
  telemetry::condition_board board;
  upstream mongos{listed(), context, facts, &board};
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
  upstream mongos{listed(), context, facts, &board};
  mongos.note_timeout(std::chrono::seconds{5});
  context.run();
  EXPECT_EQ(board.snapshot().at(0).detail, "no connection within 5 seconds");
  EXPECT_TRUE(find(mongos).socket);
  mongos.note_timeout(std::chrono::seconds{5});
  run();
  EXPECT_EQ(board.snapshot().at(0).count, 1U);
}

TEST_F(upstream_test, tries_what_is_ill_last) {
  upstream mongos{listed(), context, facts};
  address(mongos, first.bound)
      ->set_health(telemetry::upstream_health::down, "no answer within 2 seconds");
  EXPECT_EQ(find(mongos).to->name(), second.bound);
}

TEST_F(upstream_test, balances_connections_over_the_sound_ones) {
  upstream mongos{with(config::upstream_choice::connections), context, facts};
  std::vector<upstream_use> uses;
  const auto counts = [&] {
    return std::pair{address(mongos, first.bound)->facts()->connections.load(),
                     address(mongos, second.bound)->facts()->connections.load()};
  };
  for (int i = 0; i < 10; ++i) uses.emplace_back(mongos.choose());
  EXPECT_EQ(counts(), (std::pair{std::uint64_t{5}, std::uint64_t{5}}));
  EXPECT_FALSE(mongos.pinned());
  // One fails its checks: its connections must close, and the other gets all new ones.
  const auto failing = address(mongos, first.bound);
  const auto well = address(mongos, second.bound);
  failing->set_health(telemetry::upstream_health::down, "no answer within 2 seconds");
  EXPECT_FALSE(mongos.leave(failing, "it fails"));
  EXPECT_EQ(failing->standing(), standing::open);
  well->set_health(telemetry::upstream_health::up, {});
  EXPECT_TRUE(mongos.leave(failing, "it fails"));
  EXPECT_EQ(failing->standing(), standing::closed);
  EXPECT_EQ(well->standing(), standing::open);
  for (int i = 0; i < 3; ++i) uses.emplace_back(mongos.choose());
  EXPECT_EQ(counts(), (std::pair{std::uint64_t{5}, std::uint64_t{8}}));
  failing->set_health(telemetry::upstream_health::up, {});
  mongos.rejoin(failing);
  EXPECT_EQ(failing->standing(), standing::open);
  EXPECT_EQ(mongos.choose(), failing);
}

TEST_F(upstream_test, changes_its_names_by_a_reload_and_drains_what_is_gone) {
  upstream mongos{listed(), context, facts};
  const auto old = find(mongos).to;
  const auto began = upstream::clock::now();
  const net::listener third = net::bind_listener({"127.0.0.1", 0, {}}, 1);
  upstream_settings changed = listed();
  changed.names = {third.bound};
  mongos.apply_settings(changed);
  const upstream_use of_client{old};
  facts.waits.emplace_back().open_cursors = 1;
  mongos.tick(began);
  EXPECT_EQ(mongos.pinned(), old) << "a client has an open cursor";
  facts.waits.front().open_cursors = 0;
  mongos.tick(began);
  EXPECT_EQ(mongos.pinned()->name(), third.bound);
  EXPECT_EQ(old->standing(), standing::draining);
  EXPECT_EQ(facts.upstreams().size(), 2U) << "the old one is shown while it has a connection";
  EXPECT_EQ(facts.failovers, 0U);
  mongos.tick(began + std::chrono::minutes{2});
  EXPECT_EQ(old->standing(), standing::closed) << "the grace time is over";
}

TEST_F(upstream_test, moves_from_a_gone_address_at_the_end_of_the_grace_time_at_the_latest) {
  upstream mongos{listed(), context, facts};
  const auto old = find(mongos).to;
  upstream_settings changed = listed();
  changed.names = {second.bound};
  mongos.apply_settings(changed);
  facts.waits.emplace_back().open_cursors = 1;
  const auto began = upstream::clock::now();
  mongos.tick(began);
  EXPECT_EQ(mongos.pinned(), old);
  mongos.tick(began + std::chrono::minutes{2});
  EXPECT_EQ(mongos.pinned()->name(), second.bound);
}

TEST_F(upstream_test, returns_to_the_preferred_one_after_a_while_and_between_cursors) {
  upstream_settings settings = with(config::upstream_choice::spread);
  settings.return_after = std::chrono::minutes{10};
  upstream mongos{settings, context, facts};
  const auto preferred = find(mongos).to;
  const auto other =
      address(mongos, preferred->name() == first.bound ? second.bound : first.bound);
  other->set_health(telemetry::upstream_health::up, {});
  preferred->set_health(telemetry::upstream_health::down, "no answer within 2 seconds");
  ASSERT_TRUE(mongos.leave(preferred, "it fails"));
  EXPECT_EQ(mongos.pinned(), other);
  EXPECT_EQ(preferred->standing(), standing::closed);
  auto now = upstream::clock::now();
  preferred->set_health(telemetry::upstream_health::up, {});
  mongos.tick(now);
  mongos.tick(now + std::chrono::minutes{9});
  EXPECT_EQ(mongos.pinned(), other);
  // The time begins again with each failure.
  preferred->set_health(telemetry::upstream_health::down, "no answer within 2 seconds");
  mongos.tick(now += std::chrono::minutes{9});
  preferred->set_health(telemetry::upstream_health::up, {});
  mongos.tick(now);
  mongos.tick(now + std::chrono::minutes{9});
  EXPECT_EQ(mongos.pinned(), other);
  facts.waits.emplace_back().open_cursors = 1;
  mongos.tick(now += std::chrono::minutes{20});
  EXPECT_EQ(mongos.pinned(), other);
  facts.waits.front().open_cursors = 0;
  mongos.tick(now);
  EXPECT_EQ(mongos.pinned(), preferred);
  EXPECT_EQ(preferred->standing(), standing::open);
  EXPECT_EQ(other->standing(), standing::draining);
  EXPECT_EQ(facts.failovers, 1U);
}

}  // namespace
}  // namespace scattergate::proxy
