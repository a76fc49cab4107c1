#include "advise/advisor.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/advise/sent_traffic.hpp"

namespace scattergate::advise {
namespace {

using advise_tests::key_in;
using advise_tests::sent_traffic;
using advise_tests::texts_of;
using std::chrono::hours;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* by_tenant =
    R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"tenant": 1}}]})";

std::string find_of(const std::string& filter) {
  return R"({"find": "c", "filter": {)" + filter + "}}";
}

std::string tenant_and_item(int tenant, int item) {
  return R"("tenant": )" + std::to_string(tenant) + R"(, "item": )" + std::to_string(item);
}

/// A day of finds by a tenant and an item: 40 in each of 50 minutes.
template <typename Tenant>
sent_traffic day_of(Tenant tenant_of, const char* catalog = by_tenant) {
  sent_traffic sent{catalog};
  for (int minute = 0; minute < 50; ++minute) {
    for (int i = 0; i < 40; ++i) {
      const int item = (minute * 40 + i) * 7919 % 100'003;  // without order
      sent.add(find_of(tenant_and_item(tenant_of(minute, i), item)),
               seconds{minute * 1728 + i});
    }
  }
  sent.set_indexes("db.c", R"([{"key": {"_id": 1}, "name": "_id_"}])");
  return sent;
}

std::vector<std::string> keys_of(const collection_advice& of) {
  std::vector<std::string> made;
  for (const candidate& one : of.candidates) made.push_back(key_text(one.key));
  return made;
}

TEST(advice, puts_a_key_without_a_hot_value_first_and_calls_it_safe) {
  const auto advised = day_of([](int, int i) { return i % 2 == 0 ? 0 : i; }).on_c();
  EXPECT_EQ(key_text(advised.candidates.at(0).key), "{item: 1}");
  EXPECT_TRUE(advised.candidates.at(0).is_safe)
      << testing::PrintToString(texts_of(advised.candidates[0].not_safe))
      << testing::PrintToString(advised.unknown);
  const candidate& present = key_in(advised, "{tenant: 1}");
  EXPECT_TRUE(present.is_hot);
  EXPECT_FALSE(present.is_safe);
  EXPECT_EQ(present.jumbo, jumbo_risk::high);
}

TEST(advice, keeps_a_present_key_that_nothing_beats) {
  const auto advised = day_of([](int, int i) { return i; }).on_c();
  EXPECT_EQ(advised.candidates.at(0).from, key_origin::present);
  EXPECT_TRUE(advised.candidates.at(0).is_safe);
}

/// In the last fifth tenants are even, so there the present key is as good as any.
TEST(advice, puts_no_key_before_the_present_one_that_does_not_beat_it_in_the_last_fifth) {
  const auto advised =
      day_of([](int minute, int i) { return minute < 39 && i % 2 == 0 ? 0 : i; }).on_c();
  EXPECT_EQ(advised.candidates.at(0).from, key_origin::present);
  const candidate& longer = key_in(advised, "{tenant: 1, item: 1}");
  EXPECT_EQ(longer.beats_present, true);
  EXPECT_EQ(longer.beats_present_held_out, false);
  EXPECT_FALSE(longer.is_safe);
}

TEST(advice, finds_a_key_hot_that_is_even_over_a_day_and_hot_in_each_minute) {
  const auto advised = day_of([](int minute, int) { return minute; }).on_c();
  const candidate& present = key_in(advised, "{tenant: 1}");
  EXPECT_LT(*present.all.values.hottest(), 0.03);
  EXPECT_GT(*present.all.values.per_minute, 0.9);
  EXPECT_TRUE(present.is_hot);
  EXPECT_NE(advised.candidates.at(0).from, key_origin::present);
}

/// Two commands in each minute, for one tenant in each hour.
TEST(advice, takes_minutes_with_few_requests_together) {
  sent_traffic sent{by_tenant};
  for (int i = 0; i < 2'880; ++i) {
    const int tenant = i / 120 * 7 % 24;
    sent.add(find_of(tenant_and_item(tenant, i * 7919 % 100'003)), seconds{i * 30});
  }
  const auto advised = sent.on_c();
  EXPECT_EQ(key_in(advised, "{tenant: 1}").all.values.per_minute, 1);
  EXPECT_LT(*key_in(advised, "{tenant: 1, item: 1}").all.values.per_minute, 0.1);
}

/// All documents of a field with one value are on one shard, so each command asks only that
/// one.
TEST(advice, puts_no_key_with_fewer_values_than_shards_first) {
  for (const int values : {1, 2}) {
    sent_traffic sent{R"({"version": "8.0", "collections": []})"};
    for (int i = 0; i < 400; ++i) {
      const std::string item = R"("item": )" + std::to_string(i * 7919 % 1009);
      const std::string state = R"("state": )" + std::to_string(i % values);
      sent.add(find_of(i % 4 == 0 ? state : item), seconds{i * 200});
    }
    const auto advised = sent.on_c();
    const candidate& by_state = key_in(advised, "{state: 1}");
    EXPECT_TRUE(by_state.is_hot);
    EXPECT_EQ(by_state.not_safe.front().label, "few values");
    EXPECT_EQ(by_state.jumbo, jumbo_risk::high);
    EXPECT_EQ(key_text(advised.candidates.front().key), "{item: 1}");
  }
}

TEST(advice, prints_the_commands_that_change_a_key_only_of_safe_keys) {
  auto sent = day_of([](int, int i) { return i % 2 == 0 ? 0 : i; });
  const auto safe = sent.on_c();
  EXPECT_THAT(key_in(safe, "{tenant: 1, item: 1}").next, Contains(HasSubstr("refine")));
  sent.set_indexes("db.c", R"([{"key": {"tenant": 1}, "unique": true, "name": "one each"}])");
  const auto unsafe = sent.on_c();
  for (const candidate& one : unsafe.candidates) {
    EXPECT_FALSE(one.is_safe);
    EXPECT_THAT(one.next,
                ElementsAre(HasSubstr("configureQueryAnalyzer"), HasSubstr("analyzeShardKey")));
  }
}

TEST(advice, never_calls_safe_what_forbids_a_unique_index) {
  auto sent = day_of([](int, int i) { return i % 2 == 0 ? 0 : i; });
  sent.set_indexes("db.c", R"([{"key": {"tenant": 1}, "unique": true, "name": "one each"}])");
  const auto advised = sent.on_c();
  const candidate& found = key_in(advised, "{tenant: 1, item: 1}");
  EXPECT_THAT(found.forbidden, ElementsAre("one each"));
  EXPECT_FALSE(found.is_safe);
  EXPECT_EQ(advised.candidates.at(0).from, key_origin::present);
}

TEST(advice, proposes_three_fields_in_the_order_of_a_unique_index) {
  auto sent = day_of([](int, int i) { return i % 2; });
  for (int i = 0; i < 30; ++i) sent.add(find_of(R"("a": 1)"), seconds{1});
  sent.set_indexes("db.c", R"([{"key": {"a": 1, "tenant": 1, "item": 1}, "unique": true}])");
  EXPECT_THAT(keys_of(sent.on_c()), Contains("{a: 1, tenant: 1, item: 1}"));
}

TEST(advice, proposes_a_hash_where_values_grow) {
  sent_traffic sent{by_tenant};
  for (int i = 0; i < 500; ++i) {
    sent.add(
        R"({"insert": "c", "documents": [{"seq": )" + std::to_string(i) + R"(, "tenant": 1}]})",
        seconds{i});
    sent.add(find_of(R"("seq": )" + std::to_string(i)), seconds{i});
  }
  const auto advised = sent.on_c();
  EXPECT_THAT(keys_of(advised), Contains("{seq: \"hashed\"}"));
  EXPECT_THAT(keys_of(advised), Not(Contains("{seq: 1}")));
}

/// Of three tenants, one has four fifths of the new documents. Ids grow.
TEST(advice, counts_new_documents_with_one_prefix_as_one_value_where_the_next_field_grows) {
  sent_traffic sent{by_tenant};
  for (int minute = 0; minute < 50; ++minute) {
    for (int i = 0; i < 40; ++i) {
      const int id = minute * 40 + i;
      const int tenant = i % 5 == 0 ? i % 3 : 7;
      sent.add(R"({"insert": "c", "documents": [{"tenant": )" + std::to_string(tenant) +
                   R"(, "id": )" + std::to_string(id) + "}]}",
               seconds{minute * 1728 + i});
      sent.add(find_of(R"("tenant": )" + std::to_string(tenant) + R"(, "id": )" +
                       std::to_string(id * 7919 % (id + 1))),
               seconds{minute * 1728 + i});
    }
  }
  const auto advised = sent.on_c();
  EXPECT_NEAR(*key_in(advised, "{tenant: 1, id: 1}").all.values.per_minute, 0.4, 0.01);
  EXPECT_TRUE(key_in(advised, "{tenant: 1, id: 1}").is_hot);
  EXPECT_LT(*key_in(advised, "{tenant: 1, id: \"hashed\"}").all.values.per_minute, 0.1);
}

TEST(advice, proposes_a_range_too_where_a_second_field_grows) {
  sent_traffic sent{by_tenant};
  for (int i = 0; i < 500; ++i) {
    const std::string both = R"("tenant": )" + std::to_string(i * 31 % 50) + R"(, "id": )";
    sent.add(R"({"insert": "c", "documents": [{)" + both + std::to_string(i) + "}]}",
             seconds{i * 60});
    sent.add(find_of(both + R"({"$lt": )" + std::to_string(i) + "}"), seconds{i * 60});
    sent.add(find_of(both + std::to_string(i * 31 % (i + 1))), seconds{i * 60});
  }
  const auto advised = sent.on_c();
  EXPECT_LT(key_in(advised, "{tenant: 1, id: 1}").all.shard_requests,
            key_in(advised, "{tenant: 1, id: \"hashed\"}").all.shard_requests);
  EXPECT_THAT(keys_of(advised), Not(Contains("{id: 1, tenant: 1}")));
}

TEST(advice, proposes_up_to_three_fields_that_equality_pins) {
  sent_traffic sent{by_tenant};
  sent.add_shape(R"({"find": "c", "filter": {"a": 1, "b": {"$in": [1]}, "c": {"$eq": 1},
                     "d": {"$gt": 1}, "b.x": 1}})",
                 1000);
  const auto keys = keys_of(sent.on_c());
  EXPECT_THAT(keys, Contains("{a: 1}"));
  EXPECT_THAT(keys, Contains("{c: 1, a: 1}"));
  EXPECT_THAT(keys, Contains("{a: 1, b: 1, c: 1}"));
  EXPECT_THAT(keys, Not(Contains(HasSubstr("d: 1"))));
  EXPECT_THAT(keys, Not(Contains("{b: 1, \"b.x\": 1}")));
}

TEST(advice, evaluates_named_keys_in_the_order_of_their_fields) {
  question asked;
  asked.named = {{{"item", true}, {"tenant"}}, {{"unseen"}}};
  const auto advised = day_of([](int, int i) { return i; }).on_c(asked);
  for (const char* const key : {"{item: \"hashed\", tenant: 1}", "{unseen: 1}"}) {
    const candidate& one = key_in(advised, key);
    EXPECT_EQ(one.from, key_origin::named);
  }
}

TEST(advice, counts_the_shards_that_lists_and_ranges_ask) {
  sent_traffic sent{by_tenant};
  for (int i = 0; i < 90; ++i) sent.add(find_of(R"("tenant": )" + std::to_string(i)));
  sent.add(find_of(R"("tenant": {"$in": [1, 2]})"));
  sent.add(find_of(R"("tenant": {"$in": [1, 40, 80]})"));
  sent.add(find_of(R"("tenant": {"$gte": 40})"));
  const auto advised = sent.on_c();
  EXPECT_DOUBLE_EQ(key_in(advised, "{tenant: 1}").all.shard_requests, 90 + 1 + 3 + 2);
}

TEST(advice, counts_the_shards_that_a_batch_s_statements_ask_together) {
  sent_traffic sent{by_tenant};
  for (int i = 0; i < 90; ++i) sent.add(find_of(R"("tenant": )" + std::to_string(i)));
  for (const char* const tenants : {"1 2", "1 80", "1 40 80"}) {
    std::string updates;
    std::istringstream words{tenants};
    for (std::string tenant; words >> tenant;) {
      updates += (updates.empty() ? "" : ", ") + std::string{R"({"q": {"tenant": )"} + tenant +
                 R"(}, "u": {"$set": {"x": 1}}})";
    }
    sent.add(R"({"update": "c", "updates": [)" + updates + "]}");
  }
  const measures all = key_in(sent.on_c(), "{tenant: 1}").all;
  EXPECT_EQ(all.shard_requests, 90 + 1 + 2 + 3);
  EXPECT_EQ(all.writes.single_shard, 1);
  EXPECT_EQ(all.writes.multi_shard, 2);
}

TEST(advice, estimates_how_many_shards_inserts_of_unknown_documents_ask) {
  sent_traffic sent{by_tenant};
  sent.add_shape(R"({"insert": "c", "documents": [{"tenant": 1}]})", 10);
  sent.add_shape(find_of(R"("tenant": 1)"), 5);
  const measures all = key_in(sent.on_c(), "{tenant: 1}").all;
  EXPECT_EQ(all.estimated, 10);
  EXPECT_EQ(all.shard_requests, 15);
}

TEST(advice, names_shapes_that_get_better_and_worse) {
  sent_traffic sent{by_tenant};
  for (int i = 0; i < 60; ++i) {
    sent.add(find_of(R"("tenant": )" + std::to_string(i)));
    sent.add(find_of(R"("item": )" + std::to_string(i * 37 % 61)));
  }
  const auto advised = sent.on_c();
  const candidate& by_item = key_in(advised, "{item: 1}");
  ASSERT_EQ(by_item.better.all, 1U);
  ASSERT_EQ(by_item.worse.all, 1U);
  EXPECT_THAT(by_item.better.listed[0].shape, HasSubstr("item"));
  EXPECT_EQ(by_item.better.listed[0].asked_before, 3);
  EXPECT_EQ(by_item.better.listed[0].asked_after, 1);
  EXPECT_EQ(by_item.new_scatters, 60);
  EXPECT_THAT(texts_of(by_item.not_safe),
              Contains(HasSubstr("would scatter to all shards, unlike today")));
}

/// A field with one value, followed by another: a filter on the first asks every shard.
TEST(advice, counts_shapes_that_would_always_ask_every_shard_as_scatters) {
  sent_traffic sent{
      R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"state": 1}}]})"};
  for (int i = 0; i < 60; ++i) {
    sent.add(find_of(R"("state": 1)"));
    sent.add(find_of(R"("state": 1, "item": )" + std::to_string(i)));
  }
  const candidate by_both = key_in(sent.on_c(), "{state: 1, item: 1}");
  EXPECT_EQ(by_both.all.reads.scatter_gather, 0);
  EXPECT_EQ(by_both.new_scatters, 60);
  EXPECT_FALSE(by_both.is_safe);
}

/// A list of all values asks every shard, but without chunks in the way.
TEST(advice, counts_what_asks_every_shard_by_its_values_as_a_scatter_only_with_another_key) {
  sent_traffic sent{by_tenant};
  for (int i = 0; i < 60; ++i) {
    sent.add(find_of(R"("tenant": {"$in": [1, 2, 3, 4, 5, 6]})"));
    sent.add(find_of(tenant_and_item(i % 6 + 1, i * 37 % 61)));
  }
  const auto advised = sent.on_c();
  EXPECT_EQ(key_in(advised, "{tenant: 1}").new_scatters, 0);
  EXPECT_EQ(key_in(advised, "{tenant: 1, item: 1}").new_scatters, 0);
  EXPECT_EQ(key_in(advised, "{item: 1}").new_scatters, 60);
}

/// Changes of a key outside of transactions and retryable writes.
TEST(advice, counts_as_a_scatter_what_mongos_refuses_today_and_would_scatter) {
  sent_traffic sent{
      R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"state": 1}}]})"};
  for (int i = 0; i < 60; ++i) {
    sent.add(R"({"update": "c", "updates": [{"q": {"state": )" + std::to_string(i) +
             R"(}, "u": {"$set": {"state": 99}}}]})");
    sent.add(find_of(R"("item": )" + std::to_string(i * 37 % 61)));
  }
  const auto advised = sent.on_c();
  EXPECT_EQ(key_in(advised, "{state: 1}").all.refused, 60);
  EXPECT_EQ(key_in(advised, "{state: 1}").new_refused, 0);
  EXPECT_EQ(key_in(advised, "{item: 1}").new_scatters, 60);
}

TEST(advice, counts_writes_that_mongos_would_refuse) {
  sent_traffic sent{R"({"version": "6.0", "collections": [{"ns": "db.c", "key": {"a": 1}}]})"};
  for (int i = 0; i < 10; ++i) {
    sent.add(R"({"update": "c", "updates": [{"q": {"a": 1}, "u": {"$set": {"x": 1}}}]})");
  }
  question asked;
  asked.named = {{{"b"}}};
  const auto advised = sent.on_c(asked);
  EXPECT_EQ(key_in(advised, "{b: 1}").all.refused, 10);
  EXPECT_THAT(texts_of(key_in(advised, "{b: 1}").not_safe),
              Contains("mongos would refuse 10 commands"));
}

TEST(advice, lists_collections_whose_commands_pin_the_same_fields) {
  sent_traffic sent{R"({"version": "8.0", "collections": [
      {"ns": "db.c", "key": {"tenant": 1}}, {"ns": "db.d", "key": {"_id": 1}},
      {"ns": "db.e", "key": {"_id": 1}}]})"};
  for (int i = 0; i < 10; ++i) {
    sent.add(find_of(tenant_and_item(i, i * 7 % 10)));
    sent.add(R"({"find": "d", "filter": {"tenant": 1, "x": 1}})");
    sent.add(R"({"find": "e", "filter": {"x": 1}})");
  }
  const auto advised = sent.on_c();
  EXPECT_THAT(key_in(advised, "{tenant: 1}").colocated, ElementsAre("db.d"));
  EXPECT_THAT(key_in(advised, "{item: 1}").colocated, IsEmpty());
}

struct jumbo_case {
  const char* what;
  int documents, of_one_value;  ///< the others have values of their own
  jumbo_risk risk;
};

class jumbo_chunks : public testing::TestWithParam<jumbo_case> {};

TEST_P(jumbo_chunks, are_a_risk_by_the_share_of_one_value) {
  const auto& [what, documents, of_one, risk] = GetParam();
  sent_traffic sent{by_tenant};
  for (int i = 0; i < documents; ++i) {
    sent.add(R"({"insert": "c", "documents": [{"tenant": )" +
             std::to_string(i < of_one ? -1 : i) + "}]}");
  }
  EXPECT_EQ(sent.on_c().candidates.at(0).jumbo, risk);
}

INSTANTIATE_TEST_SUITE_P(
    shares, jumbo_chunks,
    testing::Values(jumbo_case{"more_than_a_shard_s", 300, 101, jumbo_risk::high},
                    jumbo_case{"some", 300, 4, jumbo_risk::low},
                    jumbo_case{"one_percent", 300, 3, jumbo_risk::none},
                    jumbo_case{"fewer_values_than_shards", 2, 0, jumbo_risk::high}),
    [](const auto& of) { return of.param.what; });

TEST(advice, is_on_a_view_s_source) {
  sent_traffic sent{R"({"version": "8.0", "collections": [
      {"ns": "db.c", "key": {"tenant": 1}}, {"ns": "db.v", "viewOn": "c", "pipeline": []}]})"};
  sent.add(R"({"find": "v", "filter": {"tenant": 1}})");
  EXPECT_EQ(sent.on_c().commands, 1);
}

TEST(advice, leaves_out_what_has_no_key_of_its_own_choice) {
  sent_traffic sent{R"({"version": "8.0", "collections": [
      {"ns": "db.t", "key": {"meta": 1}, "timeSeries": {"time": "t", "meta": "m", "span": 3600}}]})"};
  sent.add(R"({"find": "t", "filter": {"m": 1}})");
  sent.add(R"({"find": "settings", "filter": {"_id": "x"}, "$db": "config"})");
  EXPECT_THAT(sent.advice().collections, IsEmpty());
}

TEST(advice, takes_statistics_of_sketches_where_values_are_not_known) {
  sent_traffic sent{by_tenant};
  sent.add_shape(find_of(tenant_and_item(1, 1)), 10'000);
  const statistics_source sketches =
      [](std::string_view ns,
         const std::vector<std::string>& paths) -> std::optional<value_statistics> {
    if (ns != "db.c" || paths.size() != 1) return std::nullopt;
    value_statistics made;
    made.cardinality = paths[0] == "tenant" ? 50 : 5'000;
    made.top_shares = {paths[0] == "tenant" ? 0.6 : 0.001};
    made.per_minute_max_share = made.top_shares[0];
    return made;
  };
  const auto advised = sent.advice({}, sketches).collections.at(0);
  EXPECT_TRUE(key_in(advised, "{tenant: 1}").is_hot);
  EXPECT_FALSE(key_in(advised, "{item: 1}").is_hot);
  EXPECT_NE(advised.candidates.at(0).from, key_origin::present);
}

}  // namespace
}  // namespace scattergate::advise
