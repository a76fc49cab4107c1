#include "digest/stored.hpp"

#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digest/json.hpp"
#include "tests/digest/random_table.hpp"
#include "tests/support/problem_in.hpp"

namespace scattergate::digest {
namespace {

using testing::HasSubstr;

/// All that there is in a table, its rows by name.
auto content_of(const table& of) {
  std::vector<row> rows;
  for (const row* one : of.ranked()) rows.push_back(*one);
  return std::tuple{rows, of.all(), of.evicted_rows(), of.error_bound()};
}

stored_digest read(std::string_view text) {
  return read_stored(text, 1'000);
}

table small_table() {
  table small{10};
  std::mt19937_64 random{5};
  count_random(small, random, 12, 3);
  return small;
}

/// The text of one row, with these members instead of those of a valid one.
std::string text_of_row(const std::string& members) {
  return R"({"type":"scattergate.digest","schemaVersion":1})"
         "\n"
         R"({"database":"db","command":"find","shapeHash":"0000000000000001",)" +
         members + "}\n";
}

TEST(stored_digest, is_read_as_it_was_written) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const table written = random_table(seed);
    const stored_digest back = read(stored_text(written));
    ASSERT_FALSE(back.end);
    EXPECT_TRUE(content_of(back.rows) == content_of(written)) << seed;
  }
}

TEST(stored_digest, keeps_what_rules_decided) {
  table written{10};
  const auto [row, is_new] = written.row_of({"shop", "orders", "find", 1});
  written.count(row, sighting{}, routing::routing_class::scatter_gather);
  row.run.actions[static_cast<std::size_t>(finding_action::accepted)] = 3;
  row.run.accepted_by.add("housekeeping: rare", 3);
  EXPECT_TRUE(content_of(read(stored_text(written)).rows) == content_of(written));
  action_counts elsewhere{};
  elsewhere[static_cast<std::size_t>(finding_action::rejected)] = 5;
  const stored_digest back = read(
      stored_text(written, max_stored_bytes, [&](const digest::row&) { return &elsewhere; }));
  EXPECT_EQ(back.rows.ranked().front()->run.actions, elsewhere);
}

TEST(stored_digest, has_its_error_bounds) {
  const table written = random_table(1, 10);
  ASSERT_GT(written.error_bound(), 0U);
  const stored_digest back = read(stored_text(written));
  ASSERT_FALSE(back.end);
  EXPECT_TRUE(content_of(back.rows) == content_of(written));
}

TEST(stored_digest, of_nothing_is_a_digest) {
  const stored_digest back = read(stored_text(table{10}));
  EXPECT_FALSE(back.end);
  EXPECT_EQ(back.rows.size(), 0U);
}

/// In whichever order rows of one key were merged, callers are in the order of their arrival.
TEST(stored_digest, added_is_the_same_as_what_was_written_added) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    table one = random_table(seed);
    table same = random_table(seed);
    const table other = random_table(seed + 1'000);
    one.add(other);
    same.add(read(stored_text(other)).rows);
    EXPECT_TRUE(content_of(one) == content_of(same)) << seed;
  }
}

TEST(stored_digest, is_refused_where_it_was_cut) {
  const std::string whole = stored_text(small_table());
  for (std::size_t bytes = 0; bytes + 1 < whole.size(); ++bytes) {
    const stored_digest cut = read(std::string_view{whole}.substr(0, bytes));
    EXPECT_TRUE(cut.end) << bytes;
  }
  EXPECT_THAT(tests::problem_in(read(whole.substr(0, whole.find("{\"totals"))).end),
              HasSubstr("truncated"));
  EXPECT_THAT(tests::problem_in(read("").end), HasSubstr("empty"));
}

TEST(stored_digest, is_refused_or_the_same_whichever_byte_is_damaged) {
  const table small = small_table();
  const std::string whole = stored_text(small);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {1, 2, 4, 16, 32, 128}) {
      std::string spoilt = whole;
      spoilt[at] = static_cast<char>(spoilt[at] ^ bit);
      const stored_digest back = read(spoilt);
      const bool is_same = content_of(back.rows) == content_of(small);
      EXPECT_TRUE(is_same || back.end) << at;
    }
  }
}

TEST(stored_digest, of_a_newer_version_is_refused_in_one_line) {
  EXPECT_EQ(tests::problem_in(read(R"({"type":"scattergate.digest","schemaVersion":2})").end),
            "line 1: written by a newer version: its schemaVersion is 2, this one reads 1");
}

TEST(stored_digest, reports_what_is_wrong_with_a_row) {
  for (const auto& [members, message] : std::vector<std::pair<std::string, std::string>>{
           {R"("routing":"sideways")", "line 2: \"routing\""},
           {R"("routing":"unknown","count":-1)", "\"count\""},
           {R"("routing":"unknown","count":1.5)", "\"count\""},
           {R"("routing":"unknown","count":1e400)", "line 2: "},
           {R"("routing":"unknown","count":18446744073709551615)", "\"count\""},
           {R"("routing":"unknown","count":{})", "\"count\""},
           {R"("routing":"unknown","count":99999999999999999999999)", "\"count\""},
           {R"("routing":"unknown","totalNanos":9223372036854775808)", "\"totalNanos\""},
           {R"("routing":"unknown","firstSeenNanos":1e3)", "\"firstSeenNanos\""},
           {R"("routing":"unknown","lastSeenNanos":-9223372036854775807)", "\"lastSeenNanos\""},
           {R"("routing":"unknown","times":[[160,1]])", "\"times\""},
           {R"("routing":"unknown","times":[[1]])", "\"times\""},
           {R"("routing":"unknown","times":[7])", "\"times\""},
           {R"("routing":"unknown","shardRequests":{"most":4294967296})", "\"most\""},
           {R"("routing":"unknown","byRouting":{"sideways":1})", "\"byRouting\""},
           {R"("routing":"unknown","byRouting":[])", "\"byRouting\""},
           {R"("routing":"unknown","queryShapeHash":"AB")", "\"queryShapeHash\""},
           {R"("routing":"unknown","callers":[1])", "\"callers\""},
           {R"("routing":"unknown","shape":"{")", "\"shape\""},
           {R"("routing":"unknown","shape":"[]")", "\"shape\""},
           {R"("routing":"unknown","shape":"{\n}")", "\"shape\""},
           {R"("routing":"unknown","missing":[[]])", "\"missing\""},
           {R"("routing":"unknown","suggestion":{"text":1})", "\"suggestion\""},
           {R"("routing":"unknown","x":)" + std::string(200, '[') + std::string(200, ']'),
            "line 2: "},
       }) {
    EXPECT_THAT(tests::problem_in(read(text_of_row(members)).end), HasSubstr(message))
        << members;
  }
}

TEST(stored_digest, ignores_members_that_it_does_not_know) {
  const auto row = stored_row(
      R"({"shapeHash":"00000000000000ff","routing":"unknown","new":[{"x":1}],"count":7})");
  ASSERT_TRUE(row) << tests::problem_in(row);
  EXPECT_EQ(row->shape_hash, 255U);
  EXPECT_EQ(row->count, 7U);
}

TEST(stored_digest, has_nothing_in_its_shapes_that_no_one_sees) {
  const auto row = stored_row(
      "{\"shapeHash\":\"0000000000000001\",\"routing\":\"unknown\","
      "\"shape\":\"{\\\"a\u202e\\\":1}\"}");
  ASSERT_TRUE(row) << tests::problem_in(row);
  EXPECT_EQ(row->what.shape_json, R"({"a\u202e":1})");
}

TEST(stored_digest, counts_rows_of_one_key_together) {
  std::string text = text_of_row(R"("routing":"unknown","count":2)");
  text += text.substr(text.find('\n') + 1);
  const stored_digest back = read(text);
  EXPECT_EQ(back.rows.size(), 1U);
  EXPECT_EQ(back.rows.all().commands, 4U);
  EXPECT_THAT(tests::problem_in(back.end), HasSubstr("truncated"));
}

TEST(stored_digest, keeps_no_more_rows_than_it_may) {
  const table written = random_table(2);
  const stored_digest back = read_stored(stored_text(written), 5);
  EXPECT_FALSE(back.end);
  EXPECT_LE(back.rows.size(), 5U);
  EXPECT_EQ(back.rows.all(), written.all());
  EXPECT_GT(back.rows.error_bound(), 0U);
}

TEST(stored_digest, leaves_out_the_cheapest_rows_where_it_would_be_too_long) {
  const table written = random_table(2);
  const std::string text = stored_text(written, 20'000);
  EXPECT_LE(text.size(), 20'000U);
  const stored_digest back = read(text);
  EXPECT_FALSE(back.end);
  EXPECT_LT(back.rows.size(), written.size());
  EXPECT_EQ(back.rows.size() + back.rows.evicted_rows(), written.size());
  EXPECT_EQ(back.rows.all(), written.all());
  EXPECT_GT(back.rows.error_bound(), 0U);
  EXPECT_EQ(*back.rows.ranked().front(), *written.ranked().front());
}

TEST(stored_digest, has_no_row_that_is_too_long_to_be_read) {
  table large{10};
  const std::string much(max_stored_row_bytes, 'x');
  row& one = large.row_of({"db", "c", "find", 1}).of;
  one.what.suggestion = much.substr(max_stored_row_bytes / 2);
  for (char each = 'a'; each < 'a' + 16; ++each) {
    const std::string controls(callers::most_text, '\x01');
    one.who.add({{each}, controls, controls, controls, controls, 1});
  }
  row& other = large.row_of({"db", "c", "find", 2}).of;
  other.what.suggestion = much;
  other.who.add({"app", {}, {}, {}, {}, 3});
  const stored_digest back = read(stored_text(large));
  EXPECT_FALSE(back.end);
  for (const row* each : back.rows.ranked()) {
    const bool has_only_callers_less = each->shape_hash == 1;
    EXPECT_EQ(each->who.others(), has_only_callers_less ? 16U : 3U);
    EXPECT_EQ(each->what.suggestion.empty(), !has_only_callers_less);
  }
}

TEST(stored_digest, is_detected_by_its_first_bytes) {
  EXPECT_TRUE(is_stored(stored_text(table{1})));
  EXPECT_FALSE(is_stored(R"({"schemaVersion":1,"atype":"scattergate.finding"})"));
}

}  // namespace
}  // namespace scattergate::digest
