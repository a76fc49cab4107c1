#include <chrono>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "telemetry/tap/live_tap.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;

boost::json::object json_of(const tapped_command& of) {
  const std::chrono::system_clock::time_point wall{std::chrono::seconds{1'800'000'000}};
  return boost::json::parse(tapped_json(of, {of.at + milliseconds{250}, wall})).as_object();
}

TEST(tapped_command, is_written_with_its_shape_and_its_end) {
  tapped_command one;
  one.at = std::chrono::steady_clock::time_point{milliseconds{5'000}};
  one.duration = std::chrono::microseconds{1'500};
  one.details = std::make_shared<const shape_details>(tests::sample_finding());
  one.shape_hash = 0x9f0c;
  one.trace = {.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736};
  one.command = routing::command_kind::find;
  one.routing = routing::routing_class::scatter_gather;
  one.why = routing::reason::missing_key;
  one.action = finding_action::observed;
  one.shards = 3;
  one.set_app("yorkie");
  EXPECT_EQ(json_of(one), boost::json::parse(R"({"ts":"2027-01-15T07:59:59.750Z",
    "ns":"yorkie-meta.clients","command":"find","routing":"scatter_gather",
    "reason":"missing_key","action":"observed","dryRun":null,"rule":null,"shards":3,
    "durationMillis":1.5,"end":"ok","code":null,"codeName":null,
    "shapeHash":"0000000000009f0c",
    "shape":{"find":"clients","filter":{"status":"?string"}},
    "traceId":"4bf92f3577b34da6a3ce929d0e0e4736","appName":"yorkie"})")
                              .as_object());
}

TEST(tapped_command, describes_a_shared_place_neither_name_nor_shape) {
  tapped_command one;
  one.details = shared_details(shape_scope::rowless);
  one.shape_hash = 0x9f0c;
  one.set_app("a stranger's");
  one.command = routing::command_kind::hello;
  one.end = tapped_end::unanswered;
  const auto said = json_of(one);
  for (const char* name : {"ns", "shape", "shapeHash", "reason", "action", "rule", "shards",
                           "traceId", "appName", "code"}) {
    EXPECT_TRUE(said.at(name).is_null()) << name;
  }
  EXPECT_EQ(said.at("command"), "hello");
  EXPECT_EQ(said.at("end"), "unanswered");
}

TEST(tapped_command, names_the_error) {
  tapped_command one;
  one.end = tapped_end::error;
  one.code = 61;
  EXPECT_EQ(json_of(one).at("code"), 61);
  EXPECT_EQ(json_of(one).at("codeName"), "ShardKeyNotFound");
  one.code = 123'456;
  EXPECT_TRUE(json_of(one).at("codeName").is_null());
}

TEST(tapped_command, cuts_a_long_name_and_writes_any_bytes_as_json) {
  tapped_command one;
  one.details = std::make_shared<const shape_details>(tests::sample_finding());
  one.set_app(std::string(500, 'x'));
  EXPECT_EQ(one.app().size(), tapped_command::max_app);
  one.set_app("a\n\"\xff");
  EXPECT_EQ(json_of(one).at("appName"), "a\n\"\xef\xbf\xbd");
  EXPECT_EQ(tapped_json(one, {}).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace scattergate::telemetry
