#include "telemetry/samples/command_samples.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "routing/classify.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::telemetry {
namespace {

using config::sample_content;
using routing::command_kind;
using scattergate::tests::json_document;
using std::chrono::milliseconds;

/// Takes commands given as JSON, and reads the lines back.
class taker {
 public:
  explicit taker(sample_content keep) : samples_(keep) {}

  void take(std::string_view json, command_samples::note of = {}) {
    const json_document body{json};
    const auto command = wire::command_of(body.view());
    const auto verdict =
        routing::classify(*command, *routing::catalog::absent(), verdict_memory_);
    samples_.store(*command, verdict, of, shape_memory_);
  }

  [[nodiscard]] std::vector<boost::json::object> lines() const {
    std::vector<boost::json::object> found;
    std::istringstream text{samples_.lines()};
    for (std::string line; std::getline(text, line);) {
      found.push_back(boost::json::parse(line).as_object());
    }
    return found;
  }

 private:
  command_samples samples_;
  std::vector<std::byte> verdict_block_ = std::vector<std::byte>(routing::scratch_bytes);
  std::vector<std::byte> shape_block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch verdict_memory_{verdict_block_};
  routing::scratch shape_memory_{shape_block_};
};

TEST(command_samples, shapes_hold_no_values) {
  taker into{sample_content::shapes};
  into.take(R"({"find": "c", "filter": {"a": "secret"}, "$db": "d"})", {.is_finding = true});
  const auto lines = into.lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("ns"), "d.c");
  EXPECT_EQ(lines[0].at("command"), "find");
  EXPECT_EQ(lines[0].at("routing"), "unknown");
  EXPECT_EQ(lines[0].at("finding"), true);
  EXPECT_EQ(lines[0].at("shape"), boost::json::parse(R"({"filter":{"a":"?string"}})"));
  EXPECT_FALSE(lines[0].contains("sample"));
}

TEST(command_samples, values_are_those_of_the_last_command_of_a_shape) {
  taker into{sample_content::values};
  into.take(R"({"find": "c", "filter": {"a": 1}, "$db": "d"})");
  into.take(R"({"count": "c", "query": {"a": 1}, "$db": "d"})");
  into.take(R"({"find": "c", "filter": {"a": 2}, "lsid": {"id": 1}, "$db": "d"})");
  const auto lines = into.lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].at("sample"),
            boost::json::parse(R"({"find": "c", "filter": {"a": 2}, "$db": "d"})"));
}

TEST(command_samples, a_long_or_abridged_command_leaves_its_shape_alone) {
  taker into{sample_content::values};
  into.take(R"({"find": "c", "filter": {"a": ")" + std::string(9000, 'x') +
            R"("}, "$db": "d"})");
  into.take(R"({"find": "d", "filter": {"a": 1}, "$db": "d"})", {.is_abridged = true});
  ASSERT_EQ(into.lines().size(), 2U);
  EXPECT_FALSE(into.lines()[0].contains("sample"));
  EXPECT_FALSE(into.lines()[1].contains("sample"));
}

TEST(command_samples, the_shapes_seen_longest_ago_make_room) {
  taker into{sample_content::shapes};
  for (std::size_t i = 0; i <= command_samples::most_shapes; ++i) {
    into.take(R"({"find": "c", "filter": {"f)" + std::to_string(i) + R"(": 1}, "$db": "d"})");
  }
  const auto lines = into.lines();
  EXPECT_EQ(lines.size(), command_samples::most_shapes);
  EXPECT_EQ(lines.back().at("shape"), boost::json::parse(R"({"filter":{"f1":"?number"}})"));
}

TEST(command_samples, all_together_stay_within_their_bytes) {
  taker into{sample_content::values};
  for (int i = 0; i < 300; ++i) {
    into.take(R"({"find": "c", "filter": {"f)" + std::to_string(i) + R"(": ")" +
              std::string(7000, 'x') + R"("}, "$db": "d"})");
  }
  EXPECT_LT(into.lines().size(), command_samples::most_bytes / 7000 + 1);
}

TEST(command_samples, only_what_mongodb_explains_is_chosen_and_not_too_often) {
  command_samples samples{sample_content::values};
  command_samples::clock::time_point now{};
  for (const command_kind never :
       {command_kind::sasl_start, command_kind::authenticate, command_kind::hello,
        command_kind::insert, command_kind::user_admin, command_kind::other}) {
    EXPECT_FALSE(samples.choose(never, now));
    EXPECT_FALSE(samples.choose_finding(never, now));
  }
  int chosen = 0;
  for (int i = 0; i < 10'000; ++i, now += milliseconds{1}) {
    const command_kind kind = i % 2 == 0 ? command_kind::find : command_kind::count;
    chosen += samples.choose(kind, now) ? 1 : 0;
  }
  EXPECT_LE(chosen, 100);  // in ten seconds
  EXPECT_GE(chosen, 80);
  EXPECT_TRUE(samples.choose_finding(command_kind::find, now));
  EXPECT_FALSE(samples.choose_finding(command_kind::find, now + milliseconds{9}));
}

TEST(command_samples, off_requests_nothing) {
  command_samples samples{sample_content::off};
  EXPECT_FALSE(samples.choose(command_kind::find, command_samples::clock::now()));
  EXPECT_FALSE(samples.choose_finding(command_kind::find, command_samples::clock::now()));
}

}  // namespace
}  // namespace scattergate::telemetry
