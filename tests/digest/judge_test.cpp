#include "digest/judge.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "routing/classify.hpp"
#include "routing/shape/shape.hpp"
#include "tests/routing/judging_support.hpp"
#include "tests/routing/random_commands.hpp"
#include "tests/wire/messages.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::digest {
namespace {

using outcome = second_judge::outcome;
using routing::routing_class;
using routing_tests::catalog_of;
using routing_tests::given_command;
using routing_tests::message_of;

/// A command that was sent, and how it is routed.
class sent_command {
 public:
  explicit sent_command(const given_command& given) : message_(message_of(given)) {}

  /// Nothing where mongos refuses it, so that no daemon has counted it as run.
  [[nodiscard]] std::optional<routing_class> routing_by(const routing::catalog& entries) {
    const auto verdict = routing::classify(command(), entries, memory_);
    if (verdict.refused != routing::refusal::none) return std::nullopt;
    return verdict.routing;
  }
  /// The row of a daemon that has judged it, seven times.
  [[nodiscard]] row row_by(const routing::catalog& entries) {
    row made;
    const auto shape = routing::hash_shape(command(), memory_);
    made.shape_hash = shape.hash;
    std::string text{shape.text};
    const auto verdict = routing::classify(command(), entries, memory_);
    made.database = verdict.ns().database;
    made.collection = verdict.ns().collection;
    made.command = routing::name_of(verdict.command);
    made.what = describe(verdict, command(), std::move(text));
    made.count = 7;
    made.by_routing[static_cast<std::size_t>(verdict.routing)] = 7;
    if (const auto asked = verdict.shards_asked()) made.shards.add(*asked, 7);
    return made;
  }

 private:
  [[nodiscard]] wire::command command() const {
    const auto parsed = wire::parse_op_msg(wire_tests::header_of(message_), message_).value();
    return wire::command_of(parsed).value();
  }

  wire_tests::bytes message_;
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch memory_{block_};
};

/// Whether a filter names a field twice: its shape has it once.
bool names_a_field_twice(const std::string& command) {
  for (const char* const name : {"\"a\":", "\"b\":", "\"_id\":"}) {
    const auto first = command.find(name);
    if (first != command.npos && command.find(name, first + 1) != command.npos) return true;
  }
  return false;
}

const char* const by_a = R"({"collections": [{"ns": "db.c", "key": {"a": 1}}]})";
const char* const by_b =
    R"({"collections": [{"ns": "db.c", "key": {"b": 1}, "splits": [{"b": 1}, {"b": 2}]}]})";
const char* const nothing_sharded = R"({"collections": []})";

struct judged_twice {
  std::string command;
  const char* before;
  const char* after;
  outcome came;
  routing_class routing;
};

class second_judge_table : public ::testing::TestWithParam<judged_twice> {};

TEST_P(second_judge_table, judges_a_row_by_its_shape) {
  const judged_twice& given = GetParam();
  row of = sent_command{{given.command, {}}}.row_by(*catalog_of(given.before));
  second_judge judge{catalog_of(given.after)};
  EXPECT_EQ(static_cast<int>(judge.judge_again(of)), static_cast<int>(given.came));
  EXPECT_EQ(label(of.what.routing), label(given.routing));
  EXPECT_EQ(of.by_routing[static_cast<std::size_t>(given.routing)], 7U);
}

using enum routing_class;
INSTANTIATE_TEST_SUITE_P(
    commands, second_judge_table,
    ::testing::Values(
        judged_twice{R"({"find": "c", "filter": {"a": 1}})", by_a, by_b, outcome::judged,
                     scatter_gather},
        judged_twice{R"({"find": "c", "filter": {"b": 1}})", by_a, by_b, outcome::judged,
                     single_shard},
        judged_twice{R"({"find": "c", "filter": {"b": {"$gt": 1}}})", by_a, by_b,
                     outcome::judged, multi_shard},
        judged_twice{R"({"find": "c", "filter": {"a": 1}})", by_a, by_a, outcome::stands,
                     single_shard},
        judged_twice{R"({"find": "c", "filter": {"a": 1}})", by_a, nothing_sharded,
                     outcome::judged, unsharded},
        judged_twice{R"({"find": "c", "filter": {"a": 1}})", nothing_sharded, by_b,
                     outcome::judged, scatter_gather},
        judged_twice{
            R"({"update": "c", "updates": [{"q": {"b": 1}, "u": {"$set": {"x": 1}}}]})", by_a,
            by_b, outcome::judged, single_shard},
        judged_twice{R"({"delete": "c", "deletes": [{"q": {"a": 1}, "limit": 0}]})", by_a, by_b,
                     outcome::judged, scatter_gather},
        judged_twice{
            R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": {"b": "x"}}]})", by_a,
            by_b, outcome::judged, single_shard},
        judged_twice{R"({"distinct": "c", "key": "x", "query": {"b": null}})", by_a, by_b,
                     outcome::judged, single_shard},
        // The deciding value isn't in the shape.
        judged_twice{R"({"insert": "c", "documents": [{"a": 1, "b": 2}]})", by_a, by_b,
                     outcome::not_judged, single_shard},
        judged_twice{R"({"insert": "c", "documents": [{"a": 1}]})", by_a, nothing_sharded,
                     outcome::judged, unsharded},
        judged_twice{R"({"ping": 1})", by_a, by_b, outcome::stands, not_routed}));

TEST(second_judge, reports_the_shards_that_a_catalog_with_chunks_predicts) {
  row of = sent_command{{R"({"find": "c", "filter": {"a": 1}})", {}}}.row_by(*catalog_of(by_a));
  second_judge judge{catalog_of(by_b)};
  EXPECT_EQ(static_cast<int>(judge.judge_again(of)), static_cast<int>(outcome::judged));
  EXPECT_EQ(of.shards.commands, 7U);
  EXPECT_EQ(of.shards.asked, 21U);
  EXPECT_EQ(of.shards.wasted, 14U);
  EXPECT_EQ(of.what.missing, std::vector<std::string>{"b"});
  EXPECT_EQ(of.what.shard_key_json, R"({"b":1})");
}

TEST(second_judge, a_shape_that_is_not_whole_keeps_its_verdict) {
  for (const std::string shape : {"", "not json", R"({"filter":{"a":"?number","...":true}})",
                                  R"({"statements":"not logged"})", "[]", "1",
                                  R"({"filter":{"a":"?deep"}})", R"({"filter":{"a":1.5}})"}) {
    row of =
        sent_command{{R"({"find": "c", "filter": {"a": 1}})", {}}}.row_by(*catalog_of(by_a));
    of.what.shape_json = shape;
    const description before = of.what;
    second_judge judge{catalog_of(by_b)};
    EXPECT_EQ(static_cast<int>(judge.judge_again(of)), static_cast<int>(outcome::not_judged))
        << shape;
    EXPECT_EQ(of.what, before);
  }
}

TEST(second_judge, a_tables_totals_go_with_its_rows) {
  table before{10};
  before.add(
      sent_command{{R"({"find": "c", "filter": {"a": 1}})", {}}}.row_by(*catalog_of(by_a)));
  before.add(
      sent_command{{R"({"find": "c", "filter": {"b": 1}})", {}}}.row_by(*catalog_of(by_a)));
  counts rowless;
  rowless.count = rowless.by_routing[static_cast<std::size_t>(single_shard)] = 3;
  before.count_rowless(rowless);
  second_judge judge{catalog_of(by_b)};
  int judged = 0;
  const table again = judge.judge_again(
      before, [&](const row&, outcome came) { judged += came == outcome::judged ? 1 : 0; });
  EXPECT_EQ(judged, 2);
  EXPECT_EQ(again.size(), 2U);
  EXPECT_EQ(again.all().commands, 17U);
  EXPECT_EQ(again.all().by_routing[static_cast<std::size_t>(scatter_gather)], 7U);
  EXPECT_EQ(again.all().by_routing[static_cast<std::size_t>(single_shard)], 10U);
  EXPECT_EQ(again.all().shards.wasted, 14U);
}

/// For any command and any two catalogs: the second judgement is never narrower than the
/// command's own verdict.
TEST(second_judge, never_takes_a_row_for_narrower_than_its_commands) {
  std::size_t judged = 0;
  std::size_t all = 0;
  std::size_t compared = 0;
  std::uint32_t seed = 0;
  for (const std::string& before : routing_tests::key_catalogs()) {
    for (const std::string& after : routing_tests::key_catalogs()) {
      const auto by = catalog_of(after);
      const auto was_by = catalog_of(before);
      second_judge judge{by};
      routing_tests::command_source commands{++seed};
      for (int i = 0; i < 60; ++i) {
        sent_command sent{commands.next()};
        row of = sent.row_by(*was_by);
        const row earlier = of;
        const auto came = judge.judge_again(of);
        ++all;
        judged += came == outcome::not_judged ? 0 : 1;
        const auto routing = sent.routing_by(*by);
        if (came == outcome::judged && routing && !names_a_field_twice(commands.last())) {
          ++compared;
          EXPECT_FALSE(is_worse(*routing, of.what.routing))
              << commands.last() << "\n"
              << before << "\n"
              << after << "\n"
              << label(*routing) << " " << label(of.what.routing);
        } else if (came == outcome::stands) {
          EXPECT_EQ(of, earlier);
        }
        EXPECT_EQ(of.count, earlier.count);
        EXPECT_EQ(of.shape_hash, earlier.shape_hash);
      }
    }
  }
  EXPECT_GT(judged * 2, all) << judged << " of " << all;
  EXPECT_GT(compared * 4, all) << compared << " of " << all;
}

TEST(second_judge, the_advice_is_for_the_library_that_the_senders_driver_names) {
  row of = sent_command{{R"({"find": "c", "filter": {"_id": 1}})", {}}}.row_by(
      *catalog_of(nothing_sharded));
  of.who.add({.app_name = {},
              .driver = "nodejs|Mongoose 7.8.0|9.12.1",
              .user = {},
              .remote = {},
              .comment = {},
              .count = 7});
  second_judge judge{catalog_of(by_a)};
  EXPECT_EQ(static_cast<int>(judge.judge_again(of)), static_cast<int>(outcome::judged));
  EXPECT_TRUE(of.what.suggestion.starts_with("if findById() of Mongoose sent this"))
      << of.what.suggestion;
}

}  // namespace
}  // namespace scattergate::digest
