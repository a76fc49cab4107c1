#include "routing/catalog/catalog.hpp"

#include <gtest/gtest.h>

#include "routing/catalog/version_doubt.hpp"
#include "tests/routing/value_support.hpp"
#include "tests/support/allocation_counter.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;
using problem = std::optional<std::string>;

collection make(std::string database, std::string name, std::vector<key_field> key) {
  collection made;
  made.database = std::move(database);
  made.name = std::move(name);
  made.key = std::move(key);
  return made;
}

struct given_chunk {
  std::string_view min;
  std::string_view max;
  std::string_view shard;
};

/// The first problem with a collection db.c of this key and these chunks.
problem build(const std::vector<key_field>& key, const std::vector<given_chunk>& chunks) {
  catalog_builder builder;
  if (auto wrong = builder.add(make("db", "c", key))) return wrong;
  for (const auto& [min, max, shard] : chunks) {
    const tests::json_document low{min};
    const tests::json_document high{max};
    if (auto wrong = builder.add_chunk(low.view(), high.view(), shard)) return wrong;
  }
  return builder.finish_collection();
}

TEST(catalog, finds_collections_by_database_and_name) {
  catalog_builder builder;
  ASSERT_EQ(builder.add(make("db", "sharded", {{"a", false}, {"b.c", true}})), std::nullopt);
  ASSERT_EQ(builder.finish_collection(), std::nullopt);
  ASSERT_EQ(builder.add(make("db", "dotted.name", {})), std::nullopt);
  ASSERT_EQ(builder.finish_collection(), std::nullopt);
  const auto snapshot = builder.build();
  const collection* found = snapshot->find("db", "sharded");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->full_name(), "db.sharded");
  EXPECT_EQ(found->hashed_field, 1);
  EXPECT_TRUE(found->is_sharded());
  ASSERT_NE(snapshot->find("db", "dotted.name"), nullptr);
  EXPECT_FALSE(snapshot->find("db", "dotted.name")->is_sharded());
  EXPECT_EQ(snapshot->find("db", "dotted.name")->hashed_field, -1);
  EXPECT_EQ(snapshot->find("db.dotted", "name"), nullptr);
  EXPECT_EQ(snapshot->find("db", ""), nullptr);
  EXPECT_EQ(snapshot->find("other", "sharded"), nullptr);
}

TEST(catalog, finds_each_of_twelve_thousand_without_the_heap) {
  catalog_builder builder;
  for (int i = 0; i != 12'000; ++i) {
    ASSERT_EQ(builder.add(make("db" + std::to_string(i % 7), "c" + std::to_string(i), {})),
              std::nullopt);
    ASSERT_EQ(builder.finish_collection(), std::nullopt);
  }
  const auto snapshot = builder.build();
  ASSERT_EQ(snapshot->collections().size(), 12'000U);
  for (const collection& entry : snapshot->collections()) {
    const tests::allocation_counter allocations;
    EXPECT_EQ(snapshot->find(entry.database, entry.name), &entry);
    EXPECT_EQ(snapshot->find(entry.name, entry.database), nullptr);
    EXPECT_EQ(allocations.count(), 0U);
  }
}

TEST(catalog, keeps_what_it_was_given) {
  catalog_builder builder;
  EXPECT_EQ(builder.build()->version(), (server_version{8, 0}));
  builder.set_version({6, 0});
  builder.set_unlisted(unlisted_policy::unknown);
  const auto snapshot = builder.build();
  EXPECT_EQ(snapshot->version(), (server_version{6, 0}));
  EXPECT_EQ(snapshot->unlisted(), unlisted_policy::unknown);
  EXPECT_FALSE(snapshot->is_absent());
  EXPECT_EQ(snapshot->find("db", "c"), nullptr);
}

TEST(catalog, absent_stands_in_until_one_was_loaded) {
  const auto snapshot = catalog::absent();
  EXPECT_TRUE(snapshot->is_absent());
  EXPECT_EQ(snapshot->find("db", "c"), nullptr);
  EXPECT_EQ(snapshot->shard_words(), 0U);
}

TEST(catalog, shards_are_sorted_however_they_came) {
  catalog_builder builder;
  ASSERT_EQ(builder.add(make("db", "c", {{"a", false}})), std::nullopt);
  const tests::json_document least{R"({"a": {"$minKey": 1}})"};
  const tests::json_document five{R"({"a": 5})"};
  const tests::json_document greatest{R"({"a": {"$maxKey": 1}})"};
  ASSERT_EQ(builder.add_chunk(five.view(), greatest.view(), "zebra"), std::nullopt);
  ASSERT_EQ(builder.add_chunk(least.view(), five.view(), "ant"), std::nullopt);
  ASSERT_EQ(builder.finish_collection(), std::nullopt);
  const auto snapshot = builder.build();
  ASSERT_EQ(snapshot->shards().size(), 2U);
  EXPECT_EQ(snapshot->shards()[0], "ant");
  EXPECT_EQ(snapshot->shard_words(), 1U);
  const chunk_map& chunks = snapshot->collections()[0].chunks;
  EXPECT_EQ(chunks.owner(0), 0U);
  EXPECT_EQ(chunks.owner(1), 1U);
  EXPECT_EQ(chunks.chunk_of(encoded("5")), 1U);
}

TEST(catalog_builder, refuses_malformed_entries_in_words) {
  collection view = make("db", "c", {{"a", false}});
  view.view_on = "source";
  collection unique = make("db", "c", {{"a", true}});
  unique.unique = true;
  const std::pair<collection, std::string> cases[] = {
      {make("", "c", {}), "the namespace has no database"},
      {make("db", "", {}), "the namespace has no collection after the dot"},
      {make("d b", "c", {}), "the database's name has a character that MongoDB doesn't allow"},
      {make("db", ".c", {}),
       "the collection's name has a character that MongoDB doesn't allow"},
      {make("db", std::string{"c\0d", 3}, {}),
       "the collection's name has a character that MongoDB doesn't allow"},
      {make(std::string(64, 'd'), "c", {}), "the database's name is too long"},
      {make("db", std::string(253, 'c'), {}), "the namespace is too long"},
      {make("db", "c", {{"", false}}), "a shard key field has no name"},
      {make("db", "c", {{"a..b", false}}), "shard key field a..b has an empty part"},
      {make("db", "c", {{"a.", false}}), "shard key field a. has an empty part"},
      {make("db", "c", {{"a.$b", false}}),
       "shard key field a.$b has a part that starts with $"},
      {make("db", "c", {{"a", false}, {"a", true}}), "shard key field a is doubled"},
      {make("db", "c", {{"a.b", false}, {"a", false}}),
       "shard key fields a.b and a contain one another"},
      {make("db", "c", {{"a", true}, {"b", true}}),
       "the shard key has more than one hashed field"},
      {unique, "a hashed shard key can't be unique"},
      {view, "a view can't have a shard key"},
      {make("db", "c", std::vector<key_field>(33, {"a", false})),
       "the shard key has more than 32 fields"},
  };
  for (const auto& [entry, expected] : cases) {
    catalog_builder builder;
    EXPECT_EQ(builder.add(entry), expected);
    EXPECT_EQ(builder.build()->collections().size(), 0U) << expected;
  }
}

TEST(catalog_builder, refuses_a_namespace_twice) {
  catalog_builder builder;
  EXPECT_EQ(builder.add(make("db", "c", {})), std::nullopt);
  EXPECT_EQ(builder.add(make("db", "c", {})), "is listed twice");
  EXPECT_EQ(builder.add(make("db", "ab", {{"ab", false}, {"a", false}})), std::nullopt);
  EXPECT_EQ(builder.build()->collections().size(), 2U);
}

TEST(catalog_builder, keeps_an_unreadable_collection_apart_from_the_others) {
  catalog_builder builder;
  ASSERT_EQ(builder.add(make("db", "c", {{"a", false}})), std::nullopt);
  ASSERT_EQ(builder.add(make("db", "other", {{"a", false}})), std::nullopt);
  const tests::json_document low{R"({"a": 1})"};
  ASSERT_EQ(builder.add_chunk(low.view(), tests::json_document{R"({"a": 2})"}.view(), "s"),
            std::nullopt);
  builder.add_unreadable(make("db", "c", {{"a", false}}), {"f:5", "is listed twice"});
  builder.add_unreadable(make("db", "c", {}), {"f:6", "named before"});
  builder.add_unreadable(make("db", "late*", {}), {"f:7", std::string(1000, 'x')});
  builder.add_unreadable(make(std::string(64, 'd'), "c", {}), {"f:8", "too long"});
  builder.add_unreadable({}, {"f:9", "nameless"});
  ASSERT_EQ(builder.add(make("db", "last", {{"a", false}})), std::nullopt);
  EXPECT_EQ(builder.add(make("db", "late*", {})), "is listed twice");
  const auto snapshot = builder.build();
  EXPECT_EQ(snapshot->collections().size(), 4U);
  EXPECT_TRUE(snapshot->find("db", "c")->is_unreadable);
  EXPECT_FALSE(snapshot->find("db", "c")->is_sharded());
  EXPECT_TRUE(snapshot->find("db", "latest")->is_unreadable);
  EXPECT_TRUE(snapshot->find("db", "other")->is_sharded());
  EXPECT_TRUE(snapshot->find("db", "last")->is_sharded());
  ASSERT_EQ(snapshot->faults().size(), 4U);
  EXPECT_EQ(to_string(as_problem(snapshot->faults()[0])), "f:5: db.c: is listed twice");
  EXPECT_LT(snapshot->faults()[1].why.what.size(), 500U);
  EXPECT_EQ(snapshot->faults()[2].name_space, std::string(64, 'd') + ".c");
  EXPECT_EQ(to_string(as_problem(snapshot->faults()[3])), "f:9: nameless");
}

TEST(catalog_builder, takes_chunks_in_any_order) {
  EXPECT_EQ(build({{"a", false}}, {{R"({"a": 5})", R"({"a": {"$maxKey": 1}})", "s2"},
                                   {R"({"a": {"$minKey": 1}})", R"({"a": 5})", "s1"}}),
            std::nullopt);
  EXPECT_EQ(build({{"a", false}}, {}), std::nullopt);
}

TEST(catalog_builder, reads_compound_and_hashed_bounds) {
  EXPECT_EQ(build({{"p.q", false}, {"_id", true}},
                  {{R"({"p.q": {"$minKey": 1}, "_id": {"$minKey": 1}})",
                    R"({"p.q": "x", "_id": {"$numberLong": "-9223372036854775808"}})", "s1"},
                   {R"({"p.q": "x", "_id": {"$numberLong": "-9223372036854775808"}})",
                    R"({"p.q": "x", "_id": 7})", "s2"},
                   {R"({"p.q": "x", "_id": 7})",
                    R"({"p.q": {"$maxKey": 1}, "_id": {"$maxKey": 1}})", "s1"}}),
            std::nullopt);
}

TEST(catalog_builder, takes_encoded_bounds_as_good_as_documents) {
  const collection of = make("db", "c", {{"a", false}});
  catalog_builder by_document;
  catalog_builder by_key;
  ASSERT_EQ(by_document.add(of), std::nullopt);
  ASSERT_EQ(by_key.add(of), std::nullopt);
  const given_chunk chunks[] = {{R"({"a": 5})", R"({"a": {"$maxKey": 1}})", "s2"},
                                {R"({"a": {"$minKey": 1}})", R"({"a": 5})", "s1"}};
  for (const auto& [min, max, shard] : chunks) {
    const tests::json_document low{min};
    const tests::json_document high{max};
    ASSERT_EQ(by_document.add_chunk(low.view(), high.view(), shard), std::nullopt);
    std::vector<std::byte> from;
    std::vector<std::byte> to;
    ASSERT_EQ(append_bound(of, low.view(), from), std::nullopt);
    ASSERT_EQ(append_bound(of, high.view(), to), std::nullopt);
    ASSERT_EQ(by_key.add_encoded_chunk(from, to, shard), std::nullopt);
  }
  ASSERT_EQ(by_document.finish_collection(), std::nullopt);
  ASSERT_EQ(by_key.finish_collection(), std::nullopt);
  const auto one = by_document.build();
  const auto other = by_key.build();
  const chunk_map& expected = one->find("db", "c")->chunks;
  const chunk_map& made = other->find("db", "c")->chunks;
  ASSERT_EQ(made.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::ranges::equal(made.minimum(i), expected.minimum(i)));
    EXPECT_EQ(other->shards()[made.owner(i)], one->shards()[expected.owner(i)]);
  }
}

TEST(catalog_builder, names_gaps_between_encoded_chunks_too) {
  const collection of = make("db", "c", {{"a", false}});
  catalog_builder builder;
  EXPECT_NE(builder.add_encoded_chunk({}, {}, "s"), std::nullopt);
  ASSERT_EQ(builder.add(of), std::nullopt);
  ASSERT_EQ(builder.add_encoded_chunk(encoded_null(), encoded_max_key(), "s"), std::nullopt);
  EXPECT_EQ(builder.finish_collection(),
            "gap: no chunk begins at MinKey; the first is chunk 1 [(encoded), (encoded))");
}

TEST(catalog_builder, names_the_place_of_a_bad_chunk) {
  const std::vector<key_field> ranged{{"a", false}, {"b", false}};
  const std::vector<key_field> hashed{{"a", true}};
  const std::tuple<std::vector<key_field>, given_chunk, std::string> cases[] = {
      {ranged,
       {R"({"a": 1})", R"({"a": 2, "b": 1})", "s"},
       R"(chunk 1: min { "a" : 1 } lacks the shard key field b)"},
      {ranged,
       {R"({"a": 1, "b": 1})", R"({"b": 1, "a": 2})", "s"},
       R"(chunk 1: max { "b" : 1, "a" : 2 } has b where the shard key has a)"},
      {ranged,
       {R"({"a": 1, "b": 1, "c": 1})", R"({"a": 2, "b": 1})", "s"},
       R"(chunk 1: min { "a" : 1, "b" : 1, "c" : 1 } has more fields than the shard key)"},
      {ranged,
       {R"({"a": 2, "b": 1})", R"({"a": 2, "b": 1})", "s"},
       R"(chunk 1: min { "a" : 2, "b" : 1 } isn't below max { "a" : 2, "b" : 1 })"},
      {hashed,
       {R"({"a": "x"})", R"({"a": {"$maxKey": 1}})", "s"},
       R"(chunk 1: min { "a" : "x" } gives the hashed field a a value that isn't an integer)"},
      {hashed, {R"({"a": 1})", R"({"a": 2})", ""}, "a chunk names no shard"},
      {{}, {R"({"a": 1})", R"({"a": 2})", "s"}, "has chunks but no shard key"},
  };
  for (const auto& [key, chunk, expected] : cases) EXPECT_EQ(build(key, {chunk}), expected);
}

TEST(catalog_builder, names_gaps_and_overlaps) {
  const std::vector<key_field> key{{"a", false}};
  const std::string_view least = R"({"a": {"$minKey": 1}})";
  const std::string_view greatest = R"({"a": {"$maxKey": 1}})";
  EXPECT_EQ(build(key, {{R"({"a": 8})", greatest, "s"}, {least, R"({"a": 5})", "s"}}),
            R"(gap: between chunk 2 [{ "a" : { "$minKey" : 1 } }, { "a" : 5 }) )"
            R"(and chunk 1 [{ "a" : 8 }, { "a" : { "$maxKey" : 1 } }))");
  EXPECT_EQ(build(key, {{R"({"a": 4})", greatest, "s"}, {least, R"({"a": 5})", "s"}}),
            R"(overlap: chunk 2 [{ "a" : { "$minKey" : 1 } }, { "a" : 5 }) )"
            R"(and chunk 1 [{ "a" : 4 }, { "a" : { "$maxKey" : 1 } }))");
  EXPECT_EQ(build(key, {{R"({"a": 4})", greatest, "s"}}),
            R"(gap: no chunk begins at MinKey; the first is )"
            R"(chunk 1 [{ "a" : 4 }, { "a" : { "$maxKey" : 1 } }))");
  EXPECT_EQ(build(key, {{least, R"({"a": 4})", "s"}}),
            R"(gap: no chunk ends at MaxKey; the last is )"
            R"(chunk 1 [{ "a" : { "$minKey" : 1 } }, { "a" : 4 }))");
}

TEST(catalog_builder, a_collection_with_bad_chunks_stays_without_them) {
  catalog_builder builder;
  ASSERT_EQ(builder.add(make("db", "c", {{"a", false}})), std::nullopt);
  const tests::json_document low{R"({"a": 1})"};
  const tests::json_document high{R"({"a": 2})"};
  ASSERT_EQ(builder.add_chunk(low.view(), high.view(), "s"), std::nullopt);
  EXPECT_NE(builder.finish_collection(), std::nullopt);
  EXPECT_NE(builder.finish_collection(), std::nullopt);
  EXPECT_NE(builder.add_chunk(low.view(), high.view(), "s"), std::nullopt);
  const auto snapshot = builder.build();
  ASSERT_NE(snapshot->find("db", "c"), nullptr);
  EXPECT_TRUE(snapshot->find("db", "c")->chunks.is_empty());
}

TEST(server_version, without_a_patch_level_certainly_comes_neither_before_nor_after_one) {
  constexpr server_version series{6, 0};
  constexpr server_version tenth{6, 0, 10};
  EXPECT_FALSE(series.precedes(tenth));
  EXPECT_FALSE(series >= tenth);
  EXPECT_TRUE((server_version{6, 0, 9}).precedes(tenth));
  EXPECT_TRUE((server_version{5, 0}).precedes(tenth));
  EXPECT_FALSE((server_version{6, 0, 10}).precedes(tenth));
  EXPECT_TRUE((server_version{6, 0, 12} >= series));
  EXPECT_EQ(tenth.text(), "6.0.10");
  EXPECT_EQ(series.text(), "6.0");
}

TEST(server_version, that_is_known_in_part_says_so) {
  for (const server_version known :
       {server_version{4, 4}, {5, 0, 0}, {6, 0, 3}, {7, 0, 16}, {8, 2}, {8, 2, 1}, {9, 0}}) {
    EXPECT_EQ(doubt_of(known), "") << known.text();
  }
  for (const server_version doubtful : {server_version{5, 0},
                                        {5, 0, 14},
                                        {6, 0},
                                        {7, 0},
                                        {6, 3},
                                        {7, 1},
                                        {8, 0},
                                        {8, 0, 4},
                                        {8, 1},
                                        {9, 1}}) {
    EXPECT_NE(doubt_of(doubtful), "") << doubtful.text();
  }
  EXPECT_NE(doubt_of_series({7, 0, 16}), "");
  EXPECT_EQ(doubt_of_series({6, 0, 16}), "");
  EXPECT_EQ(doubt_of_series({8, 0}), "");
}

}  // namespace
}  // namespace scattergate::routing
