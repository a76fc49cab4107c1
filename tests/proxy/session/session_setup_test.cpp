#include "proxy/session/session_setup.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/net/certificate_file.hpp"

namespace scattergate::proxy {
namespace {

using namespace std::chrono_literals;
using outcome = session_setup::outcome;
using status = setup_sockets::status;
using attempt = setup_sockets::attempt;
using first_byte = setup_sockets::first_byte;
using telemetry::close_reason;
using testing::ElementsAre;

/// Sockets that follow a script, and write down what was asked of them.
class scripted_sockets final : public setup_sockets {
 public:
  first_byte peek_client() noexcept override { return client_begins_with; }
  bool begin_client_tls(const net::tls_context&) override { return note("client tls"); }
  status secure_client() override { return (note("secure client"), client_secured); }
  attempt connect(const net::socket_address&, net::unique_fd) override {
    return (note("connect"), connecting);
  }
  void search() override { note("search"); }
  bool use(net::unique_fd) override { return note("use"); }
  bool finish_connect() noexcept override { return is_connected; }
  bool announce_client() override { return note("announce") && can_announce; }
  bool begin_upstream_tls(const net::tls_context&, const std::string& host) override {
    return note("tls to " + host);
  }
  status secure_upstream() override { return (note("secure upstream"), upstream_secured); }
  const char* upstream_tls_failure() const noexcept override { return "as scripted"; }
  void pause_accepting() override { note("pause"); }

  first_byte client_begins_with = first_byte::tls_handshake;
  status client_secured = status::done;
  status upstream_secured = status::done;
  attempt connecting = attempt::connecting;
  bool is_connected = true;
  bool can_announce = true;
  std::vector<std::string> asked;

 private:
  bool note(std::string what) {
    asked.push_back(std::move(what));
    return true;
  }
};

class session_setup_test : public testing::Test {
 protected:
  session_setup_test() { mongos.pin(somewhere); }

  /// A setup of a listener with the current `settings`.
  session_setup made() {
    return {std::make_shared<const listener_settings>(settings), mongos, sockets, metrics, now};
  }
  void use_client_tls() {
    const net::certificate_file file;
    net::client_tls_options options;
    options.cert_file = file.path();
    settings.client_tls = net::tls_context::for_clients(options).value();
  }
  void use_upstream_tls() {
    settings.upstream_tls = net::tls_context::for_upstream({}).value();
  }
  static upstream_address_ptr address_of(const std::string& name) {
    return std::make_shared<upstream_address>(
        net::endpoint{name, 27017, {}}, net::resolve({"127.0.0.1", 1, {}}).value().front(),
        std::make_shared<telemetry::upstream_facts>(name));
  }
  static upstream::found found(const upstream_address_ptr& where) {
    return {net::unique_fd{::open("/dev/null", O_RDONLY)}, where, false};
  }

  boost::asio::io_context control;
  telemetry::metrics_collector collector{20};
  telemetry::worker_metrics& metrics = collector.add_worker();
  telemetry::listener_facts& facts = collector.add_listener("here");
  upstream mongos{{{{"first", 27017, {}}, {"second", 27017, {}}}}, control, facts};
  upstream_address_ptr somewhere = address_of("first");
  upstream_address_ptr elsewhere = address_of("second");
  listener_settings settings;
  scripted_sockets sockets;
  clock::time_point now{1h};
};

TEST_F(session_setup_test, connects_to_what_is_pinned_and_is_ready) {
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::waiting);
  EXPECT_FALSE(setup.has_connected());
  EXPECT_EQ(setup.on_client_ready(now), outcome::waiting);
  EXPECT_EQ(setup.on_upstream_ready(false), outcome::waiting);
  EXPECT_EQ(setup.on_upstream_ready(true), outcome::ready);
  EXPECT_TRUE(setup.has_connected());
  EXPECT_EQ(*setup.take_use(), somewhere);
  EXPECT_THAT(sockets.asked, ElementsAre("connect"));
}

TEST_F(session_setup_test, searches_where_nothing_is_pinned) {
  mongos.unpin(somewhere);
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::waiting);
  EXPECT_EQ(setup.on_found(found(elsewhere)), outcome::waiting);
  EXPECT_EQ(setup.on_upstream_ready(true), outcome::ready);
  EXPECT_EQ(*setup.take_use(), elsewhere);
  EXPECT_THAT(sockets.asked, ElementsAre("search", "use"));
}

TEST_F(session_setup_test, searches_once_where_the_pinned_one_is_gone) {
  for (const bool at_once : {true, false}) {
    mongos.pin(somewhere);
    sockets = {};
    session_setup setup = made();
    if (at_once) sockets.connecting = attempt::failed;
    EXPECT_EQ(setup.begin(now), outcome::waiting);
    sockets.is_connected = false;
    if (!at_once) {
      EXPECT_EQ(setup.on_upstream_ready(true), outcome::waiting);
    }
    EXPECT_FALSE(mongos.pinned());
    EXPECT_EQ(setup.on_found(found(elsewhere)), outcome::waiting);
    EXPECT_EQ(setup.on_upstream_ready(true), outcome::over);
    EXPECT_EQ(setup.reason(), close_reason::upstream_unreachable);
    EXPECT_THAT(sockets.asked, ElementsAre("connect", "search", "use"));
  }
  EXPECT_EQ(metrics.upstream_connect_failures.get(), 2U);
}

TEST_F(session_setup_test, blames_no_mongos_for_lack_of_descriptors) {
  sockets.connecting = attempt::out_of_resources;
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::over);
  EXPECT_EQ(setup.reason(), close_reason::out_of_resources);
  EXPECT_EQ(mongos.pinned(), somewhere);
  mongos.unpin(somewhere);
  session_setup searching = made();
  EXPECT_EQ(searching.begin(now), outcome::waiting);
  EXPECT_EQ(searching.on_found({{}, {}, true}), outcome::over);
  EXPECT_THAT(sockets.asked, ElementsAre("connect", "pause", "search", "pause"));
}

TEST_F(session_setup_test, gives_up_where_nothing_is_found) {
  mongos.unpin(somewhere);
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::waiting);
  EXPECT_EQ(setup.on_found({}), outcome::over);
  EXPECT_EQ(setup.reason(), close_reason::upstream_unreachable);
}

TEST_F(session_setup_test, announces_the_client_before_tls_to_the_names_host) {
  settings.proxy_protocol = true;
  use_upstream_tls();
  sockets.upstream_secured = status::blocked;
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::waiting);
  EXPECT_EQ(setup.on_upstream_ready(true), outcome::waiting);
  EXPECT_TRUE(setup.has_connected());
  sockets.upstream_secured = status::done;
  EXPECT_EQ(setup.on_upstream_ready(false), outcome::ready);
  EXPECT_THAT(sockets.asked, ElementsAre("connect", "announce", "tls to first",
                                         "secure upstream", "secure upstream"));
}

TEST_F(session_setup_test, gives_up_where_the_header_or_the_handshake_fails) {
  settings.proxy_protocol = true;
  use_upstream_tls();
  for (const bool can_announce : {true, false}) {
    sockets.can_announce = can_announce;
    sockets.upstream_secured = status::failed;
    session_setup setup = made();
    EXPECT_EQ(setup.begin(now), outcome::waiting);
    EXPECT_EQ(setup.on_upstream_ready(true), outcome::over);
    EXPECT_EQ(setup.reason(), close_reason::upstream_unreachable);
    EXPECT_TRUE(setup.has_connected());
  }
  EXPECT_EQ(metrics.upstream_connections_open.get(), 2);
}

TEST_F(session_setup_test, secures_the_client_before_it_connects) {
  use_client_tls();
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::waiting);
  EXPECT_TRUE(setup.is_securing_client());
  sockets.client_begins_with = first_byte::none_yet;
  EXPECT_EQ(setup.on_client_ready(now), outcome::waiting);
  sockets.client_begins_with = first_byte::tls_handshake;
  sockets.client_secured = status::blocked;
  EXPECT_EQ(setup.on_client_ready(now), outcome::waiting);
  EXPECT_THAT(sockets.asked, ElementsAre("client tls", "secure client"));
  sockets.client_secured = status::done;
  EXPECT_EQ(setup.on_client_ready(now), outcome::waiting);
  EXPECT_FALSE(setup.is_securing_client());
  EXPECT_THAT(sockets.asked,
              ElementsAre("client tls", "secure client", "secure client", "connect"));
}

TEST_F(session_setup_test, distinguishes_clients_that_begin_otherwise) {
  struct {
    first_byte begins_with;
    status secured;
    close_reason why;
  } const cases[] = {
      {first_byte::other, status::done, close_reason::wire_error},
      {first_byte::ended, status::done, close_reason::client_closed},
      {first_byte::failed, status::done, close_reason::client_error},
      {first_byte::tls_handshake, status::failed, close_reason::tls_failed},
      {first_byte::tls_handshake, status::ended, close_reason::tls_failed},
  };
  use_client_tls();
  for (const auto& each : cases) {
    session_setup setup = made();
    sockets.client_begins_with = each.begins_with;
    sockets.client_secured = each.secured;
    EXPECT_EQ(setup.begin(now), outcome::waiting);
    EXPECT_EQ(setup.on_client_ready(now), outcome::over);
    EXPECT_EQ(setup.reason(), each.why);
  }
}

TEST_F(session_setup_test, waits_for_the_client_as_long_as_the_limit_says) {
  use_client_tls();
  config::limit_options limits;
  limits.first_message = 10s;
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::waiting);
  EXPECT_EQ(setup.check(now + 9s, limits), outcome::waiting);
  EXPECT_EQ(setup.check(now + 10s, limits), outcome::over);
  EXPECT_EQ(setup.reason(), close_reason::first_message);
  limits.first_message = 0s;
  EXPECT_EQ(made().check(now + 24h, limits), outcome::waiting);
}

TEST_F(session_setup_test, waits_for_mongos_for_five_seconds_in_all) {
  use_upstream_tls();
  sockets.upstream_secured = status::blocked;
  session_setup setup = made();
  EXPECT_EQ(setup.begin(now), outcome::waiting);
  EXPECT_EQ(setup.check(now + 4s, {}), outcome::waiting);
  EXPECT_EQ(setup.on_upstream_ready(true), outcome::waiting);
  EXPECT_EQ(mongos.pinned(), somewhere);
  EXPECT_EQ(setup.check(now + 5s, {}), outcome::over);
  EXPECT_EQ(setup.reason(), close_reason::upstream_unreachable);
  EXPECT_FALSE(mongos.pinned());
}

}  // namespace
}  // namespace scattergate::proxy
