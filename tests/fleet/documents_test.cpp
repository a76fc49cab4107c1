#include "fleet/documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "fleet/bson_parts.hpp"
#include "tests/digest/random_table.hpp"
#include "tests/fleet/simulated_collection.hpp"
#include "tests/support/problem_in.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::fleet {
namespace {

using testing::HasSubstr;

const flush_place in_transactions{"6f0e-uuid", 7, 3, false};
const flush_place with_marks{"6f0e-uuid", 7, 3, true};

std::vector<digest::row> rows_of(const digest::table& of) {
  std::vector<digest::row> rows;
  for (const digest::row* const one : of.ranked()) rows.push_back(*one);
  return rows;
}

/// Removes what the documents don't contain: callers are elsewhere, the rest is only in
/// reports.
digest::row as_kept(digest::row of) {
  of.who = {};
  of.fanouts = {};
  of.run = {};
  return of;
}

std::string text_of(const digest::row& of) {
  digest::table all{1};
  all.add(of);
  return digest::stored_text(all);
}

TEST(shape_document, gives_back_the_row_that_was_added) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const digest::stored_digest stored =
        digest::read_stored(digest::stored_text(digest::random_table(seed)), 1'000);
    for (const digest::row& one : rows_of(stored.rows)) {
      tests::simulated_collection there;
      there.apply(shape_statement(one, in_transactions, when_missing::create));
      ASSERT_EQ(there.documents().size(), 1U);
      const auto read = read_shape(there.documents().front());
      ASSERT_TRUE(read) << to_string(read.error());
      EXPECT_FALSE(read->is_rowless);
      EXPECT_EQ(text_of(read->row), text_of(as_kept(one)));
    }
  }
}

TEST(shape_document, adds_up_what_several_flushes_add) {
  const digest::stored_digest stored =
      digest::read_stored(digest::stored_text(digest::random_table(3)), 1'000);
  for (const digest::row& one : rows_of(stored.rows)) {
    digest::row twice = as_kept(one);
    twice.add(as_kept(one));
    tests::simulated_collection there;
    for (const std::uint64_t flush : {1, 2}) {
      there.apply(shape_statement(one, {"a", flush, 0, true}, when_missing::create));
    }
    const auto read = read_shape(there.documents().front());
    ASSERT_TRUE(read);
    EXPECT_EQ(text_of(read->row), text_of(twice));
  }
}

TEST(shape_document, counts_a_repeated_flush_once) {
  digest::row row;
  row.database = "shop";
  row.collection = "orders";
  row.command = "find";
  row.count = 5;
  tests::simulated_collection there;
  EXPECT_EQ(there.apply(shape_statement(row, with_marks, when_missing::create)), 1);
  // The document exists and has the mark: the server finds none, and can't create it.
  EXPECT_EQ(there.apply(shape_statement(row, with_marks, when_missing::create)), 11'000);
  EXPECT_EQ(there.apply(shape_statement(row, with_marks, when_missing::skip)), 0);
  EXPECT_EQ(number_in(there.documents().front(), "count"), 5U);
  // Another sidecar's flush with the same number, and this one's next, are others.
  EXPECT_EQ(there.apply(shape_statement(row, {"other", 7, 3, true}, when_missing::create)), 1);
  EXPECT_EQ(there.apply(shape_statement(row, {"6f0e-uuid", 8, 3, true}, when_missing::create)),
            1);
  EXPECT_EQ(number_in(there.documents().front(), "count"), 15U);
}

TEST(shape_document, keeps_the_worst_description) {
  digest::row row;
  row.database = "shop";
  row.command = "find";
  row.count = 1;
  tests::simulated_collection there;
  for (const auto routing :
       {routing::routing_class::scatter_gather, routing::routing_class::single_shard}) {
    row.what.routing = routing;
    row.what.shape_json = R"({"filter":{}})";
    row.what.suggestion = label(routing);
    row.what.statement.reset();
    if (routing == routing::routing_class::scatter_gather) row.what.statement = 3;
    there.apply(shape_statement(row, in_transactions, when_missing::create));
  }
  const auto read = read_shape(there.documents().front());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->row.what.suggestion, "scatter_gather");
  EXPECT_EQ(read->row.what.statement, 3U);
  EXPECT_EQ(read->row.count, 2U);
}

TEST(shape_document, keeps_names_that_are_no_text) {
  digest::row row;
  row.database = "a.b";
  row.collection = "\xff\xfe:3 x";
  row.command = "find";
  row.count = 1;
  tests::simulated_collection there;
  there.apply(shape_statement(row, in_transactions, when_missing::create));
  const auto read = read_shape(there.documents().front());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->row.database, row.database);
  EXPECT_EQ(read->row.collection, row.collection);
  EXPECT_EQ(shape_name(row.key()), "a%2Eb.%FF%FE%3A3%20x find 0000000000000000");
}

TEST(shape_document, of_commands_without_a_row_has_their_sums) {
  rowless_counts counts;
  counts.sums.commands = 9;
  counts.sums.errors = 2;
  counts.sums.shards = {4, 12, 8, 3};
  counts.evicted_rows = 5;
  counts.error_bound = 6;
  tests::simulated_collection there;
  there.apply(rowless_statement(counts, in_transactions, when_missing::create));
  const auto read = read_shape(there.documents().front());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_TRUE(read->is_rowless);
  EXPECT_EQ(read->row.count, 9U);
  EXPECT_EQ(read->row.errors, 2U);
  EXPECT_EQ(read->row.shards, counts.sums.shards);
  EXPECT_EQ(read->evicted_rows, 5U);
  EXPECT_EQ(read->error_bound, 6U);
}

TEST(caller_document, gives_back_the_caller) {
  digest::row row;
  row.database = "shop";
  row.collection = "orders";
  row.command = "find";
  const digest::caller who{"web", "PyMongo", "u", "10.0.0.7", "c\xff", 4};
  tests::simulated_collection there;
  there.apply(caller_statement({&row, who, false}, with_marks, when_missing::create));
  there.apply(caller_statement({&row, {.count = 3}, true}, with_marks, when_missing::create));
  ASSERT_EQ(there.documents().size(), 2U);
  const auto read = read_caller(there.documents().front());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->row.key().database, "shop");
  EXPECT_EQ(read->sidecar, "6f0e-uuid");
  EXPECT_THAT(read->row.who.all(), testing::ElementsAre(who));
  const auto others = read_caller(there.documents().back());
  ASSERT_TRUE(others);
  EXPECT_EQ(others->row.who.others(), 3U);
}

TEST(shape_document, of_a_newer_version_or_of_nonsense_is_a_problem) {
  wire::bson_writer newer;
  newer.int32("schemaVersion", 2);
  EXPECT_THAT(tests::problem_in(read_shape(view_of(newer.take()))), HasSubstr("newer version"));
  wire::bson_writer nonsense;
  nonsense.text("shape", "a");
  nonsense.text("shapeHash", "none");
  EXPECT_THAT(tests::problem_in(read_shape(view_of(nonsense.take()))), HasSubstr("shapeHash"));
}

TEST(shape_document, larger_than_any_that_a_sidecar_writes_is_a_problem) {
  const std::string text(1UL << 20U, 'a');
  wire::bson_writer shape;
  shape.text("shape", "a");
  shape.text("database", text);
  shape.text("shapeHash", "0000000000000000");
  EXPECT_THAT(tests::problem_in(read_shape(view_of(shape.take()))), HasSubstr("larger"));
  wire::bson_writer caller;
  caller.text("shapeHash", "0000000000000000");
  caller.text("command", "find");
  caller.text("sidecar", text);
  EXPECT_THAT(tests::problem_in(read_caller(view_of(caller.take()))), HasSubstr("larger"));
}

TEST(sidecar_document, that_another_has_written_has_defaults_and_short_texts) {
  wire::bson_writer to;
  to.int32("_id", 5);
  to.text("name", std::string(1UL << 20U, 'a'));
  to.text("waiting", "many");
  to.int64("dropped", -1);
  to.text("seenAt", "today");
  to.text("lastFlush", "none");
  const document stored = to.take();
  const sidecar_status read = read_sidecar(view_of(stored));
  EXPECT_EQ(read.uuid, "");
  EXPECT_EQ(read.name, std::string(1'000, 'a') + "...");
  EXPECT_EQ(read.waiting, 0U);
  EXPECT_EQ(read.dropped, 0U);
  EXPECT_EQ(read.seen_at, std::nullopt);
  EXPECT_EQ(read.flushes, 0U);
}

}  // namespace
}  // namespace scattergate::fleet
