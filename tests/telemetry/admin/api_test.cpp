#include "telemetry/admin/api.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/admin/api_answers.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class api_test : public ::testing::Test {
 protected:
  static shape_delta seen_now(std::uint64_t count, std::uint64_t hash = 0x9f0c) {
    shape_delta delta = tests::sample_delta(count, hash);
    delta.first_seen = delta.last_seen = std::chrono::system_clock::now();
    return delta;
  }
  [[nodiscard]] admin_reply get(std::string_view target) const {
    auto reply = api_.answer(target);
    return reply ? *reply : admin_reply{.status = 0};
  }
  [[nodiscard]] json::object answer(std::string_view target) const {
    const admin_reply reply = get(target);
    EXPECT_EQ(reply.status, 200U) << target << reply.body;
    EXPECT_EQ(reply.content_type, "application/json");
    return json::parse(reply.body).as_object();
  }

  std::string grafana_link_;
  live_digest digest_{10, tests::plenty()};
  metrics_collector metrics_{10};
  health health_;
  condition_board board_;
  audit_log audit_{{.file = "off"}, [](std::string_view, std::string_view) {}};
  api api_{{digest_, metrics_, health_, board_, audit_,
            [this] {
              return api_facts{
                  routing::catalog::absent(), "off", "", "off", "/s", false, grafana_link_};
            },
            1UL << 20}};
};

TEST_F(api_test, reports_shapes_as_the_reports_json_and_as_they_are_stored) {
  tests::add_to(digest_, {seen_now(3)});
  const json::object all = answer("/api/v1/shapes");
  EXPECT_EQ(all.at("totals").at("commands"), 3);
  const auto& row = all.at("shapes").as_array().at(0);
  EXPECT_EQ(row.at("ns"), "yorkie-meta.clients");
  EXPECT_EQ(row.at("actions").at("observed"), 3);
  EXPECT_EQ(row.at("new"), true);
  EXPECT_EQ(row.at("resolved"), false);
  EXPECT_EQ(row.at("kind"), "finding");
  EXPECT_EQ(row.at("refused"), 0);
  EXPECT_EQ(row.at("fields"), (json::array{"status"}));
  EXPECT_THAT(get("/api/v1/shapes?format=stored").body,
              StartsWith(R"({"type":"scattergate.digest")"));
}

TEST_F(api_test, takes_a_moment_since_which_shapes_are_new) {
  tests::add_to(digest_, {seen_now(3)});
  const json::object all = answer("/api/v1/shapes?since=2126-11-22T00:00:00.000Z");
  EXPECT_EQ(all.at("shapes").as_array().at(0).at("new"), false);
  for (const std::string wrong :
       {"x", "2026-13-01T00:00:00.000Z", "2026-11-22T00:00:00.-01Z"}) {
    EXPECT_EQ(get("/api/v1/shapes?since=" + wrong).status, 400U) << wrong;
  }
}

TEST_F(api_test, gives_those_who_ask_the_same_the_same_answer) {
  EXPECT_EQ(api::cache_key("/api/v1/shapes?x=1"), "/api/v1/shapes");
  EXPECT_EQ(api::cache_key("/api/v1/status?x=1"), "/api/v1/status");
  EXPECT_EQ(api::cache_key("/api/v1/shapes?a=b&format=stored"), "/api/v1/shapes?format=stored");
  EXPECT_NE(api::cache_key("/api/v1/shapes?since=x"), "/api/v1/shapes");
}

TEST_F(api_test, reports_one_shape_by_its_hash) {
  tests::add_to(digest_, {seen_now(3, 0x9f0c)});
  EXPECT_EQ(answer("/api/v1/shapes/0000000000009f0c").at("shapes").as_array().size(), 1U);
  EXPECT_EQ(get("/api/v1/shapes/0000000000009f0d").status, 404U);
  for (const char* wrong : {"", "9f0c", "0000000000009f0g", "00000000000009f0c", "../status"}) {
    EXPECT_EQ(get(std::string{"/api/v1/shapes/"} + wrong).status, 400U) << wrong;
  }
}

TEST_F(api_test, distinguishes_collections_with_accepted_ones) {
  shape_delta accepted = seen_now(5);
  shape_details details = tests::sample_finding();
  details.action = finding_action::accepted;
  accepted.details = std::make_shared<const shape_details>(details);
  tests::add_to(digest_, {seen_now(3), accepted});
  const json::object all = answer("/api/v1/collections");
  const auto& one = all.at("collections").as_array().at(0);
  EXPECT_THAT(get("/api/v1/shapes?format=stored").body, HasSubstr(R"("accepted":5)"));
  EXPECT_EQ(one.at("commands"), 8);
  EXPECT_EQ(one.at("byRouting").at("scatter_gather"), 3);
  EXPECT_EQ(one.at("findings"), 3);
  EXPECT_EQ(one.at("accepted"), 5);
  EXPECT_EQ(one.at("lastMinute").at("commands"), 8);
  EXPECT_TRUE(one.at("sharded").is_null());
  EXPECT_TRUE(all.at("others").is_null());
}

TEST_F(api_test, reports_how_the_daemon_is_and_what_is_wrong) {
  board_.raise(condition_kind::audit_failing, "/a", "No space left on device");
  const json::object all = answer("/api/v1/status");
  EXPECT_EQ(all.at("ready"), false);
  EXPECT_EQ(all.at("reason"), "not listening");
  EXPECT_EQ(all.at("audit").at("failing"), true);
  EXPECT_EQ(all.at("conditions").as_array().size(), 1U);
  EXPECT_TRUE(all.at("config").at("file").is_null());
}

TEST_F(api_test, has_a_headline_and_the_state_of_each_listener) {
  EXPECT_EQ(answer("/api/v1/status").at("headline").at("text"), "Not ready: not listening");
  health_.set_listening(true);
  health_.set_catalog_settled();
  listener_facts& listener = metrics_.add_listener("127.0.0.1:27117");
  const auto first = std::make_shared<address_facts>("10.0.0.1:1");
  const auto second = std::make_shared<address_facts>("10.0.0.2:1");
  listener.show_upstreams({{std::make_shared<upstream_facts>("m:1"), {first, second}}});
  EXPECT_EQ(answer("/api/v1/status").at("headline"),
            (json::object{{"level", "ok"}, {"text", "OK"}}));
  tests::add_to(digest_, {seen_now(3)});
  EXPECT_EQ(answer("/api/v1/status").at("headline"),
            (json::object{{"level", "scattering"}, {"text", "Scattering 100 %"}}));
  EXPECT_EQ(answer("/api/v1/status").at("listeners").at(0).at("state"), "ok");
  first->is_active = true;
  first->health = upstream_health::down;
  first->connections = 3;
  EXPECT_EQ(answer("/api/v1/status").at("listeners").at(0).at("state"), "failing over");
  EXPECT_EQ(answer("/api/v1/status").at("listeners").at(0).at("upstreams").at(0),
            (json::object{{"address", "m:1"},
                          {"active", true},
                          {"up", nullptr},
                          {"addresses", json::array{json::object{{"address", "10.0.0.1:1"},
                                                                 {"active", true},
                                                                 {"up", false},
                                                                 {"draining", false},
                                                                 {"connections", 3}},
                                                    json::object{{"address", "10.0.0.2:1"},
                                                                 {"active", false},
                                                                 {"up", nullptr},
                                                                 {"draining", false},
                                                                 {"connections", 0}}}},
                          {"addressesLeftOut", 0}}));
  second->health = upstream_health::down;
  EXPECT_EQ(answer("/api/v1/status").at("listeners").at(0).at("state"), "down");
  EXPECT_EQ(api_.top_line().level, headline_level::down);
  EXPECT_EQ(api_.top_line().text, "mongos down");
}

TEST_F(api_test, says_why_the_state_file_is_not_saved) {
  EXPECT_EQ(answer("/api/v1/status").at("state").at("failing"), false);
  EXPECT_TRUE(answer("/api/v1/status").at("state").at("reason").is_null());
  board_.raise(condition_kind::state_failing, "/s", "No space left on device");
  EXPECT_EQ(answer("/api/v1/status").at("state").at("failing"), true);
  EXPECT_EQ(answer("/api/v1/status").at("state").at("reason"), "No space left on device");
  board_.clear(condition_kind::state_failing, "/s");
  EXPECT_EQ(answer("/api/v1/status").at("state").at("failing"), false);
}

TEST_F(api_test, has_the_grafana_link_that_is_in_force) {
  EXPECT_TRUE(answer("/api/v1/status").at("grafanaLink").is_null());
  grafana_link_ = "https://g/d/x?var-db={db}";
  EXPECT_EQ(answer("/api/v1/status").at("grafanaLink"), "https://g/d/x?var-db={db}");
}

TEST_F(api_test, has_no_waste_where_no_fan_out_is_known) {
  tests::add_to(digest_, {seen_now(3)});
  json::object all = answer("/api/v1/collections");
  for (const json::value& each : {all.at("totals"), all.at("collections").at(0)}) {
    EXPECT_TRUE(each.at("wastedShardRequests").is_null());
    EXPECT_TRUE(each.at("lastMinute").at("wastedShardRequests").is_null());
    EXPECT_EQ(each.at("fanoutKnown"), 0);
  }
  shape_delta known = seen_now(2, 0xbeef);
  known.shards.add(3, 2);
  tests::add_to(digest_, {known});
  all = answer("/api/v1/collections");
  for (const json::value& each : {all.at("totals"), all.at("collections").at(0)}) {
    EXPECT_EQ(each.at("wastedShardRequests"), 4);
    EXPECT_EQ(each.at("lastMinute").at("wastedShardRequests"), 4);
    EXPECT_EQ(each.at("lastMinute").at("fanoutKnown"), 2);
  }
}

TEST_F(api_test, reports_in_an_event_what_a_shape_is_by_now) {
  api::seen last;
  static_cast<void>(api_.changes_since(last));
  shape_details details = tests::sample_finding();
  details.action = finding_action::rejected;
  shape_delta rejected = seen_now(4);
  rejected.details = std::make_shared<const shape_details>(details);
  tests::add_to(digest_, {rejected});
  const json::object event = json::parse(api_.changes_since(last)).as_object();
  const json::object& shape = event.at("shapes").at(0).as_object();
  EXPECT_EQ(shape.at("kind"), "finding");
  EXPECT_EQ(shape.at("refused"), 4);
  EXPECT_EQ(shape.at("fields"), (json::array{"status"}));
  EXPECT_EQ(event.at("status").at("headline").at("level"), "down");
}

TEST_F(api_test, has_the_history_of_its_shapes) {
  tests::add_to(digest_, {seen_now(3)});
  const json::object past = answer("/api/v1/history");
  const json::object& shape = past.at("shapes").at(0).as_object();
  EXPECT_EQ(shape.at("shapeHash"), "0000000000009f0c");
  EXPECT_EQ(shape.at("minutes").as_array().size(), 60U);
  EXPECT_EQ(shape.at("tenMinutes").as_array().back(), 3);
}

TEST_F(api_test, has_no_other_paths) {
  for (const char* path : {"/", "/api/v1/", "/api/v1/nothing", "/api/v1/shapesx", "/api"}) {
    EXPECT_EQ(get(path).status, 0U) << path;
  }
}

TEST(shapes_json, leaves_out_the_cheapest_beyond_so_many_bytes) {
  live_digest digest{100, tests::plenty()};
  for (std::uint64_t i = 1; i <= 50; ++i) {
    tests::add_to(digest, {tests::sample_delta(i, i)});
  }
  digest.read_view([](const live_digest::view& view) {
    const auto all = json::parse(shapes_json(view, {}, 1U << 20U)).as_object();
    EXPECT_EQ(all.at("shapes").as_array().size(), 50U);
    EXPECT_FALSE(all.contains("shapesLeftOut"));
    const auto some = json::parse(shapes_json(view, {}, 8192)).as_object();
    const std::size_t listed = some.at("shapes").as_array().size();
    EXPECT_GT(listed, 2U);
    EXPECT_EQ(some.at("shapesLeftOut").as_int64(), static_cast<std::int64_t>(50 - listed));
  });
}

}  // namespace
}  // namespace scattergate::telemetry
