#include "sim/storage/config_db.hpp"

#include "tests/sim/simulator_fixture.hpp"

namespace scattergate::sim {
namespace {

/// A simulator that passes for a release of MongoDB.
class config_db : public simulated {
 protected:
  void pass_for(const char* release) {
    simulator_.contents().data.simulate(release_named(release).value());
  }

  array find_in_config(const std::string& name, const std::string& filter = "{}") {
    const document reply =
        run_ok("config", R"({"find": ")" + name + R"(", "filter": )" + filter + "}");
    return array_argument(document_argument(reply, "cursor"), "firstBatch");
  }

  document only(const array& of) {
    EXPECT_EQ(of.size(), 1U);
    return of.empty() ? document{} : *of.front().as<document>();
  }
};

TEST_F(config_db, names_chunks_by_namespace_before_5_0_and_by_uuid_since) {
  shard_by_k();
  for (const char* release : {"4.4", "5.0", "6.0", "7.0", "8.0"}) {
    pass_for(release);
    const bool is_new = std::string{release} >= "5.0";
    const document entry = only(find_in_config("collections"));
    EXPECT_EQ(entry.has("timestamp"), is_new) << release;
    EXPECT_EQ(entry.has("dropped"), !is_new) << release;
    const array chunks = find_in_config("chunks");
    ASSERT_EQ(chunks.size(), 3U);
    const document& chunk = *chunks.front().as<document>();
    EXPECT_EQ(chunk.has("uuid"), is_new) << release;
    EXPECT_EQ(chunk.has("ns"), !is_new) << release;
    EXPECT_EQ(chunk.has("onCurrentShardSince"), std::string{release} >= "7.0") << release;
    EXPECT_EQ(text_argument(run_ok("admin", R"({"buildInfo": 1})"), "version"),
              std::string{release} + ".0");
  }
  EXPECT_FALSE(release_named("3.6"));
}

TEST_F(config_db, keeps_tombstones_before_5_0) {
  shard_by_k();
  run_ok(R"({"drop": "c"})");
  pass_for("4.4");
  EXPECT_TRUE(flag_argument(only(find_in_config("collections")), "dropped"));
  pass_for("5.0");
  EXPECT_TRUE(find_in_config("collections").empty());
  run_ok("admin", R"({"shardCollection": "d.c", "key": {"k": 1}})");
  pass_for("4.4");
  EXPECT_FALSE(flag_argument(only(find_in_config("collections")), "dropped"));
}

TEST_F(config_db, shows_a_refined_key_over_the_same_chunks) {
  shard_by_k();
  fill();
  const array before = find_in_config("chunks");
  const document old_entry = only(find_in_config("collections"));
  run_ok("admin", R"({"refineCollectionShardKey": "d.c", "key": {"k": 1, "j": 1}})");
  const document entry = only(find_in_config("collections"));
  EXPECT_EQ(document_argument(entry, "key").size(), 2U);
  EXPECT_NE(to_json(document{{"v", *entry.find("timestamp")}}),
            to_json(document{{"v", *old_entry.find("timestamp")}}));
  const array after = find_in_config("chunks");
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(text_argument(*after[i].as<document>(), "shard"),
              text_argument(*before[i].as<document>(), "shard"));
  }
  EXPECT_EQ(batch(R"({"find": "c", "filter": {}})").size(), 4U);
  const document refused =
      run("admin", R"({"refineCollectionShardKey": "d.c", "key": {"x": 1}})");
  EXPECT_EQ(text_argument(refused, "codeName"), "InvalidOptions");
}

TEST_F(config_db, shows_a_resharded_collection_as_another_one) {
  shard_by_k();
  fill();
  const document before = only(find_in_config("collections"));
  run_ok("admin", R"({"reshardCollection": "d.c", "key": {"j": "hashed"}})");
  const document after = only(find_in_config("collections"));
  EXPECT_NE(to_json(document{{"v", *after.find("uuid")}}),
            to_json(document{{"v", *before.find("uuid")}}));
  EXPECT_EQ(find_in_config("chunks").size(), 6U);
  EXPECT_EQ(batch(R"({"find": "c", "filter": {}})").size(), 4U);
}

TEST_F(config_db, tracks_an_unsharded_collection_since_8_0) {
  shard_by_k();
  fill();
  run_ok("admin", R"({"unshardCollection": "d.c"})");
  EXPECT_TRUE(flag_argument(only(find_in_config("collections")), "unsplittable"));
  EXPECT_EQ(batch(R"({"find": "c", "filter": {}})").size(), 4U);
  EXPECT_EQ(find_in_config("chunks").size(), 1U);
  pass_for("7.0");
  EXPECT_TRUE(find_in_config("collections").empty());
}

TEST_F(config_db, shows_where_an_unsharded_collection_was_moved_to) {
  run_ok(R"({"insert": "u", "documents": [{"_id": 1}, {"_id": 2}]})");
  run_ok("admin", R"({"moveCollection": "d.u", "toShard": "shard3"})");
  EXPECT_TRUE(flag_argument(only(find_in_config("collections")), "unsplittable"));
  EXPECT_EQ(text_argument(only(find_in_config("chunks")), "shard"), "shard3");
  EXPECT_EQ(batch(R"({"find": "u", "filter": {}})").size(), 2U);
  EXPECT_EQ(count_on(2, "find"), 1);
  run_ok(R"({"insert": "u", "documents": [{"_id": 3}]})");
  EXPECT_EQ(count_on(2, "insert"), 1);
  EXPECT_EQ(
      number_argument(run("admin", R"({"moveCollection": "d.u", "toShard": "s9"})"), "ok", 1),
      0);
}

}  // namespace
}  // namespace scattergate::sim
