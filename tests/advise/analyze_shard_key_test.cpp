#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advice_json.hpp"
#include "tests/advise/sent_traffic.hpp"

/// analyzeShardKey's measures match their definitions in MongoDB's manual
/// (https://www.mongodb.com/docs/manual/reference/command/analyzeShardKey/). Each test quotes
/// the definition that it checks.
namespace scattergate::advise {
namespace {

using advise_tests::sent_traffic;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* by_a_and_b =
    R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"a": 1, "b": 1}}]})";

constexpr const char* by_a_and_b_hashed =
    R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"a": 1, "b": "hashed"}}]})";

measures of_present(const collection_advice& in) {
  for (const candidate& one : in.candidates) {
    if (one.from == key_origin::present) return one.all;
  }
  throw std::logic_error{"no present key"};
}

measures of_present(const sent_traffic& sent) {
  return of_present(sent.on_c());
}

std::vector<double> of_classes(const distribution& of) {
  return {of.classes.single_shard, of.classes.multi_shard, of.classes.scatter_gather};
}

struct filter_case {
  const char* what;
  const char* filter;
  std::vector<double> classes;  ///< single-shard, multi-shard, scatter-gather
};

class analyzed_filter : public testing::TestWithParam<filter_case> {
 protected:
  /// Some values for chunks to lie between, far from the filters' own.
  static sent_traffic with_values() {
    sent_traffic sent{by_a_and_b};
    for (int i = 100; i < 130; ++i) {
      sent.add(R"({"insert": "c", "documents": [{"a": )" + std::to_string(i) +
               R"(, "b": 1}]})");
    }
    return sent;
  }
};

/// "Percentage of reads that target a single shard, regardless of how the data is distributed";
/// multi-shard "includes the reads that may target only a single shard if the data is
/// distributed such that the values targeted by the read fall under a single shard".
TEST_P(analyzed_filter, of_a_read_has_the_class_that_no_chunk_can_change) {
  const auto& [what, filter, classes] = GetParam();
  sent_traffic sent = with_values();
  sent.add(R"({"find": "c", "filter": )" + std::string{filter} + "}");
  EXPECT_EQ(of_classes(of_present(sent).read_distribution), classes);
}

TEST_P(analyzed_filter, of_a_write_has_the_class_that_no_chunk_can_change) {
  const auto& [what, filter, classes] = GetParam();
  sent_traffic sent = with_values();
  sent.add(R"({"delete": "c", "deletes": [{"q": )" + std::string{filter} +
           R"(, "limit": 0}]})");
  EXPECT_EQ(of_classes(of_present(sent).write_distribution), classes);
}

INSTANTIATE_TEST_SUITE_P(
    filters, analyzed_filter,
    testing::Values(filter_case{"the_whole_key", R"({"a": 1, "b": 2, "x": 3})", {1, 0, 0}},
                    filter_case{"its_first_field", R"({"a": 1})", {0, 1, 0}},
                    filter_case{"a_range", R"({"a": {"$gte": 1, "$lte": 2}})", {0, 1, 0}},
                    filter_case{
                        "several_values", R"({"a": {"$in": [1, 2]}, "b": 1})", {0, 1, 0}},
                    filter_case{"its_last_field", R"({"b": 1})", {0, 0, 1}},
                    filter_case{"nothing", "{}", {0, 0, 1}}),
    [](const auto& of) { return of.param.what; });

/// The server classes a filter that pins the key by strings under a collation "pessimistically"
/// as multi-shard (analyze_shard_key_read_write_distribution.cpp).
TEST(read_distribution, strings_under_a_collation_may_be_on_several_shards) {
  sent_traffic sent{by_a_and_b};
  sent.add(R"({"find": "c", "filter": {"a": "x", "b": "y"}, "collation": {"locale": "de"}})");
  EXPECT_EQ(of_classes(of_present(sent).read_distribution), (std::vector<double>{0, 1, 0}));
}

/// "Total number of sampled find (aggregate, count, distinct) queries"
TEST(read_distribution, counts_the_four_reads) {
  sent_traffic sent{by_a_and_b};
  for (const char* const one :
       {R"({"find": "c", "filter": {"a": 1, "b": 1}})",
        R"({"find": "c", "filter": {"a": 2, "b": 1}})",
        R"({"aggregate": "c", "pipeline": [{"$match": {"a": 1, "b": 1}}], "cursor": {}})",
        R"({"count": "c", "query": {"a": 1}})", R"({"distinct": "c", "key": "x"})",
        R"({"insert": "c", "documents": [{"a": 1}]})",
        R"({"createIndexes": "c", "indexes": [{"key": {"x": 1}, "name": "x"}]})"}) {
    sent.add(one);
  }
  const distribution reads = of_present(sent).read_distribution;
  EXPECT_THAT(reads.by_command, ElementsAre(2, 1, 1, 1));
  EXPECT_EQ(of_classes(reads), (std::vector<double>{3, 1, 1}));
}

/// A join's requests to the other collection don't affect this one's key.
TEST(read_distribution, leaves_out_joined_collections) {
  sent_traffic sent{R"({"version": "8.0", "collections": [
      {"ns": "db.c", "key": {"a": 1}}, {"ns": "db.d", "key": {"z": 1}}]})"};
  sent.add(R"({"aggregate": "c", "pipeline": [{"$match": {"a": 1}}, {"$lookup": {"from": "d",
               "localField": "x", "foreignField": "y", "as": "y"}}], "cursor": {}})");
  EXPECT_EQ(of_classes(of_present(sent).read_distribution), (std::vector<double>{1, 0, 0}));
}

/// "Total number of sampled update (delete, findAndModify) queries": each statement is one.
TEST(write_distribution, counts_the_statements_of_the_three_writes) {
  sent_traffic sent{by_a_and_b};
  sent.add(R"({"update": "c", "updates": [{"q": {"a": 1, "b": 1}, "u": {"$set": {"x": 1}}},
                                          {"q": {"a": 1}, "u": {"$set": {"x": 1}},
                                           "multi": true}]})");
  sent.add(R"({"delete": "c", "deletes": [{"q": {"a": 1, "b": 1}, "limit": 1}]})");
  sent.add(R"({"findAndModify": "c", "query": {"a": 1, "b": 1}, "remove": true})");
  sent.add(R"({"insert": "c", "documents": [{"a": 1}]})");
  const distribution writes = of_present(sent).write_distribution;
  EXPECT_THAT(writes.by_command, ElementsAre(2, 1, 1, 0));
  EXPECT_EQ(of_classes(writes), (std::vector<double>{3, 1, 0}));
}

/// A server samples the operations of a bulkWrite as updates and deletes.
TEST(write_distribution, counts_the_operations_of_a_bulk_write_on_the_collection) {
  sent_traffic sent{by_a_and_b};
  sent.add(R"({"bulkWrite": 1, "ops": [
                 {"insert": 0, "document": {"a": 1, "b": 1}},
                 {"update": 0, "filter": {"a": 1}, "updateMods": {"$set": {"x": 1}},
                  "multi": true},
                 {"delete": 0, "filter": {"a": 1, "b": 1}}],
               "nsInfo": [{"ns": "db.c"}], "$db": "admin"})");
  const distribution writes = of_present(sent).write_distribution;
  EXPECT_THAT(writes.by_command, ElementsAre(1, 1, 0, 0));
  EXPECT_EQ(of_classes(writes), (std::vector<double>{1, 1, 0}));
}

/// "The percentage of write queries that are multi=false (multi=true) and not targetable to a
/// single shard."
TEST(write_distribution, writes_without_the_key_are_of_one_document_or_of_several) {
  sent_traffic sent{by_a_and_b};
  sent.add(R"({"update": "c", "updates": [
      {"q": {"a": 1, "b": 1}, "u": {"$set": {"x": 1}}},
      {"q": {"x": 1}, "u": {"$set": {"x": 2}}},
      {"q": {"a": 1}, "u": {"$set": {"x": 1}}, "multi": true},
      {"q": {}, "u": {"$set": {"x": 1}}, "multi": true},
      {"q": {"a": 1, "b": 1}, "u": {"$set": {"x": 1}}, "multi": true}]})");
  const distribution writes = of_present(sent).write_distribution;
  EXPECT_EQ(writes.single_without_key, 1);
  EXPECT_EQ(writes.multi_without_key, 2);
}

/// "Percentage of write queries that update a document's shard key value." We see no documents,
/// so those count that may.
TEST(write_distribution, updates_of_the_key_are_those_that_may_change_it) {
  sent_traffic sent{by_a_and_b};
  sent.add(R"({"update": "c", "updates": [
      {"q": {"a": 1, "b": 1}, "u": {"$set": {"b": 2}}},
      {"q": {"a": 1, "b": 1}, "u": {"$set": {"b": 1}}},
      {"q": {"a": 1, "b": 1}, "u": {"$set": {"x": 2}}}]})");
  sent.add(
      R"({"findAndModify": "c", "query": {"a": 1, "b": 1}, "update": {"$inc": {"a": 1}}})");
  EXPECT_EQ(of_present(sent).write_distribution.key_updates, 2);
}

/// "Array of numbers representing the number of times that each range sorted from MinKey to
/// MaxKey is targeted."
TEST(read_distribution, says_how_often_each_range_is_targeted) {
  sent_traffic sent{R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"a": 1}}]})"};
  for (int i = 0; i < 9; ++i) {
    sent.add(R"({"find": "c", "filter": {"a": )" + std::to_string(i) + "}}");
  }
  sent.add(R"({"find": "c", "filter": {"a": {"$gte": 4}}})");
  EXPECT_THAT(of_present(sent).read_distribution.by_range, ElementsAre(3, 4, 4));
}

std::string characteristics(const sent_traffic& sent, advise::question asked) {
  asked.name_space = "db.c";
  return advice_json(sent.advice(asked));
}

/// "Indicates whether the shard key is unique. This is only set to true if there is a unique
/// index for the shard key."
TEST(key_characteristics, a_key_is_unique_by_an_index) {
  sent_traffic sent{by_a_and_b};
  sent.add(R"({"insert": "c", "documents": [{"a": 1, "b": 1}]})");
  EXPECT_THAT(characteristics(sent, {}), HasSubstr(R"("isUnique":null)"));
  sent.set_indexes("db.c", R"([{"key": {"a": 1}, "name": "a"}])");
  EXPECT_THAT(characteristics(sent, {}), HasSubstr(R"("isUnique":false)"));
  sent.set_indexes("db.c", R"([{"key": {"a": 1, "b": 1}, "unique": true, "name": "u"}])");
  EXPECT_THAT(characteristics(sent, {}), HasSubstr(R"("isUnique":true)"));
}

/// "The number of distinct shard key values"; "an array of value and frequency (number of
/// documents) of the top most common shard key values", five by default.
TEST(key_characteristics, values_are_counted_in_new_documents) {
  sent_traffic sent{by_a_and_b};
  for (int i = 0; i < 20; ++i) {
    sent.add(R"({"insert": "c", "documents": [{"a": )" + std::to_string(i % 7) +
             R"(, "b": "x"}]})");
  }
  sent.add(R"({"find": "c", "filter": {"a": 99, "b": "x"}})");
  const key_values values = of_present(sent).values;
  EXPECT_EQ(values.documents, 20);
  EXPECT_EQ(values.distinct_documents, 7);
  std::vector<double> frequencies;
  for (const common_value& one : values.common_documents) frequencies.push_back(one.frequency);
  EXPECT_THAT(frequencies, ElementsAre(3, 3, 3, 3, 3));
  EXPECT_THAT(characteristics(sent, {}),
              HasSubstr(R"("value":{"a":"?number","b":"?string"},"frequency":3)"));
}

/// "unknown" if "the shard key is a hashed compound shard key where the hashed field is not the
/// first field"; a coefficient of 0 if it is.
TEST(key_characteristics, a_hash_hides_the_order) {
  sent_traffic sent{by_a_and_b_hashed};
  for (int i = 0; i < 20; ++i) {
    sent.add(R"({"insert": "c", "documents": [{"a": )" + std::to_string(i) + R"(, "b": 1}]})");
  }
  EXPECT_THAT(characteristics(sent, {}),
              HasSubstr(R"({"recordIdCorrelationCoefficient":null,"type":"unknown"})"));
  question asked;
  asked.named = {{{"b", true}}, {{"a"}}};
  EXPECT_THAT(characteristics(sent, asked),
              HasSubstr(R"({"recordIdCorrelationCoefficient":0.0000,"type":"not monotonic"})"));
  EXPECT_THAT(characteristics(sent, asked),
              HasSubstr(R"({"recordIdCorrelationCoefficient":1.0000,"type":"monotonic"})"));
}

}  // namespace
}  // namespace scattergate::advise
