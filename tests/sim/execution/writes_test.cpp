#include <gtest/gtest.h>

#include "tests/sim/from_json.hpp"
#include "tests/sim/recorded_answers.hpp"

namespace scattergate::sim {
namespace {

std::string answer(std::string_view version, const char* command) {
  const document layout = from_json(R"({"shardKey": {"b": 1}, "chunks": [
      {"min": {"b": {"$minKey": 1}}, "max": {"b": 10}, "shard": "s0"},
      {"min": {"b": 10}, "max": {"b": 20}, "shard": "s1"},
      {"min": {"b": 20}, "max": {"b": {"$maxKey": 1}}, "shard": "s2"}]})");
  return recorded_cluster{layout, version}.answer_to(from_json(command));
}

/// mongo: collection_routing_info_targeter.cpp at 009489e and 6b0141d, targetUpdate: by the
/// query where that leads to one shard, then by the replacement, until 8.1 next to an exact
/// _id (SERVER-106061).
TEST(writes, a_replacement_is_placed_by_itself_where_the_query_leads_to_several_shards) {
  constexpr auto by_query = R"({"update": "c", "updates": [{"u": {"b": 25},
      "q": {"_id": 1, "$expr": {"$eq": ["$b", 15]}}}]})";
  constexpr auto by_itself =
      R"({"update": "c", "updates": [{"u": {"b": 25}, "q": {"_id": 1}}]})";
  for (const char* version : {"7.0.12", "8.0.4", "8.2.0"}) {
    EXPECT_EQ(answer(version, by_query), "s1") << version;
  }
  EXPECT_EQ(answer("7.0.12", by_itself), "s2");
  EXPECT_EQ(answer("8.0.4", by_itself), "s2");
  EXPECT_EQ(answer("8.1.0", by_itself), "s2");
  EXPECT_EQ(answer("8.2.0", by_itself), "s0,s1,s2");
}

}  // namespace
}  // namespace scattergate::sim
