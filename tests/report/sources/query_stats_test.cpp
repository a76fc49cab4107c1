#include "report/sources/query_stats.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"
#include "report/sources/digest_builder.hpp"
#include "tests/report/sources/kept.hpp"

namespace scattergate::report {
namespace {

using routing::routing_class;

/// As the manual shows one (reference/operator/aggregation/queryStats).
std::string entry(const std::string& shape, const std::string& db = "shop") {
  return R"({"key":{"queryShape":{"cmdNs":{"db":")" + db + R"(","coll":"orders"},)" + shape +
         R"(},"client":{"driver":{"name":"nodejs|mongosh","version":"5.1.0"},)"
         R"("application":{"name":"web"}},"collectionType":"collection"},)"
         R"("keyHash":"dsoJ","queryShapeHash":"AB8ECADE","metrics":{"lastExecutionMicros":)"
         R"({"$numberLong":"4254"},"execCount":{"$numberLong":"3"},"totalExecMicros":)"
         R"({"sum":3084,"max":2499,"min":235,"sumOfSquares":{"$numberDecimal":"6422726"}},)"
         R"("firstSeenTimestamp":{"$date":"2023-11-29T21:16:17.796Z"},)"
         R"("latestSeenTimestamp":{"$date":"2023-11-29T21:17:12.385Z"}},)"
         R"("asOf":{"$timestamp":{"t":1701292827,"i":0}}})";
}

void read(const std::string& json, observer& to) {
  const config::bson_bytes made = config::bson_of_json(json).value();
  read_query_stats(made.view(), to);
}

constexpr const char* by_customer =
    R"("command":"find","filter":{"customer":{"$eq":"?number"}})";

TEST(query_stats, an_entry_is_all_commands_of_its_shape) {
  kept heard;
  read(entry(by_customer), heard);
  const observation& seen = heard.commands.at(0);
  EXPECT_TRUE(seen.is_made_up);
  EXPECT_EQ(seen.count, 3U);
  EXPECT_EQ(seen.duration, std::chrono::microseconds{3084});
  EXPECT_EQ(seen.longest, std::chrono::microseconds{2499});
  EXPECT_EQ(seen.first, digest::wall_time{std::chrono::milliseconds{1701292577796}});
  EXPECT_EQ(seen.at, digest::wall_time{std::chrono::milliseconds{1701292632385}});
  EXPECT_EQ(seen.who.app_name, "web");
  EXPECT_EQ(seen.who.driver, "nodejs|mongosh");
  EXPECT_EQ(seen.query_shape_hash, "AB8ECADE");
}

TEST(query_stats, what_describes_no_command_is_counted) {
  kept heard;
  read(entry(by_customer, "Mtrt3iG7dsX5c5uCSIhSVlcu5qD3u3xx2EQnS1dJLxM="), heard);
  EXPECT_EQ(heard.skipped[skip_reason::redacted], 1);
  read(entry(R"("command":"find","filter":{"a":{"$eq":"?dbPointer"}})"), heard);
  EXPECT_EQ(heard.skipped[skip_reason::not_rebuilt], 1);
  read(R"({"key":{},"metrics":{"execCount":1}})", heard);
  read(R"({"key":{"queryShape":{"command":"find"}},"metrics":{}})", heard);
  EXPECT_EQ(heard.skipped[skip_reason::unreadable], 2);
  EXPECT_TRUE(heard.commands.empty());
}

/// shop.orders by {customer, _id}, on two shards that are split at customer 5.
std::shared_ptr<const routing::catalog> orders() {
  routing::catalog_builder builder;
  routing::collection made;
  made.database = "shop";
  made.name = "orders";
  made.key = {{"customer", false}, {"_id", false}};
  EXPECT_FALSE(builder.add(std::move(made)));
  const auto add = [&](const char* min, const char* max, const char* shard) {
    const auto from = config::bson_of_json(min).value();
    const auto to = config::bson_of_json(max).value();
    EXPECT_FALSE(builder.add_chunk(from.view(), to.view(), shard));
  };
  add(R"({"customer":{"$minKey":1},"_id":{"$minKey":1}})",
      R"({"customer":5,"_id":{"$minKey":1}})", "a");
  add(R"({"customer":5,"_id":{"$minKey":1}})",
      R"({"customer":{"$maxKey":1},"_id":{"$maxKey":1}})", "b");
  EXPECT_FALSE(builder.finish_collection());
  return builder.build();
}

struct judged {
  const char* shape;
  routing_class expected;
  std::optional<std::uint32_t> shards;
};

TEST(query_stats, where_chunks_are_does_not_decide_about_values_that_no_one_knows) {
  const judged cases[] = {
      {R"("command":"find","filter":{"$and":[{"customer":{"$eq":"?number"}},)"
       R"({"_id":{"$eq":"?objectId"}}]})",
       routing_class::single_shard, 1},
      {by_customer, routing_class::multi_shard, std::nullopt},
      {R"("command":"find","filter":{"customer":{"$gt":"?number"}})",
       routing_class::multi_shard, std::nullopt},
      {R"("command":"find","filter":{"customer":{"$in":"?array<?number>"}})",
       routing_class::multi_shard, std::nullopt},
      {R"("command":"find","filter":{"status":{"$eq":"?string"}})",
       routing_class::scatter_gather, 2},
      {R"("command":"update","q":{"$and":[{"customer":{"$eq":"?number"}},)"
       R"({"_id":{"$eq":"?number"}}]},"u":"?object","multi":false,"upsert":false)",
       routing_class::single_shard, 1},
      {R"("command":"insert","documents":"?array<?object>")", routing_class::unknown,
       std::nullopt},
  };
  for (const judged& each : cases) {
    digest::table table{10};
    digest_builder builder{orders(), table};
    read(entry(each.shape), builder);
    ASSERT_EQ(table.size(), 1U) << each.shape;
    const digest::row& row = *table.ranked().front();
    EXPECT_EQ(row.what.routing, each.expected) << each.shape;
    EXPECT_EQ(row.count, 3U);
    EXPECT_TRUE(row.what.lints.empty()) << each.shape;
    EXPECT_EQ(row.shards.commands, each.shards ? 3U : 0U) << each.shape;
    EXPECT_EQ(row.shards.most, each.shards.value_or(0)) << each.shape;
  }
}

TEST(query_stats, what_mongos_would_refuse_was_not_sent_so) {
  digest::table table{10};
  digest_builder builder{orders(), table};
  read(entry(R"("command":"find","filter":{"a":{"$noSuch":"?number"}})"), builder);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(builder.of_source().observations, 0U);
}

}  // namespace
}  // namespace scattergate::report
