#include "routing/pattern/pattern.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/routing/random_commands.hpp"
#include "tests/routing/shape_support.hpp"
#include "tests/wire/messages.hpp"

namespace scattergate::routing_tests {
namespace {

/// A command as a message, what it was judged to be, and what is like it.
struct outcome {
  wire_tests::bytes message;
  std::string verdict;
  routing::pattern like;
  bool has_pattern = false;
};

outcome judge_message(wire_tests::bytes message, const routing::catalog& entries) {
  static lent_scratch lent;
  static lent_scratch for_shape;
  outcome found;
  const auto parsed = wire::parse_op_msg(wire_tests::header_of(message), message).value();
  const auto command = wire::command_of(parsed).value();
  const auto made = routing::classify(command, entries, lent.memory());
  found.has_pattern = routing::write_pattern(parsed, message, made, entries, found.like);
  found.verdict = verdict_text(made, routing::shape_hash(command, for_shape.memory()));
  found.message = std::move(message);
  return found;
}

outcome judge(const given_command& given, const routing::catalog& entries) {
  return judge_message(message_of(given), entries);
}

TEST(pattern, matches_only_what_is_judged_alike_whatever_the_values) {
  std::size_t matched = 0;
  for (std::size_t i = 0; i < key_catalogs().size(); ++i) {
    const auto entries = catalog_of(key_catalogs()[i]);
    command_source commands{static_cast<std::uint32_t>(i + 1)};
    std::vector<outcome> patterns;
    for (int n = 0; n < 3'000; ++n) {
      outcome found = judge(commands.next(), *entries);
      bool is_known = false;
      for (const outcome& each : patterns) {
        if (!each.like.matches(found.message)) continue;
        is_known = true;
        ASSERT_EQ(found.verdict, each.verdict) << commands.last();
      }
      matched += is_known;
      ASSERT_TRUE(!found.has_pattern || found.like.matches(found.message)) << commands.last();
      if (found.has_pattern && !is_known) patterns.push_back(std::move(found));
    }
  }
  EXPECT_GT(matched, 2'000U);
}

TEST(pattern, matches_no_broken_message) {
  const auto entries = catalog_of(key_catalogs()[0]);
  command_source commands{77};
  std::mt19937 random{7};
  std::size_t matched = 0;
  for (int n = 0; n < 3'000; ++n) {
    const outcome found = judge(commands.next(), *entries);
    if (!found.has_pattern) continue;
    for (int changes = 0; changes < 20; ++changes) {
      wire_tests::bytes other = found.message;
      other[16 + random() % (other.size() - 16)] = static_cast<std::byte>(random());
      if (!found.like.matches(other)) continue;
      ++matched;
      ASSERT_EQ(judge_message(other, *entries).verdict, found.verdict) << commands.last();
    }
    wire_tests::bytes cut = found.message;
    cut.resize(16 + random() % (cut.size() - 16));
    EXPECT_FALSE(found.like.matches(cut)) << commands.last();
    cut = found.message;
    cut.push_back(std::byte{0});
    EXPECT_FALSE(found.like.matches(cut)) << commands.last();
  }
  EXPECT_GT(matched, 500U);
}

struct pair_case {
  given_command one;
  given_command other;
};

const std::string hashed_catalog =
    R"({"collections": [{"ns": "db.c", "key": {"a": "hashed"}, "splits": [{"a": 0}]}]})";

TEST(pattern, leaves_open_literals_and_what_differs_from_call_to_call) {
  const std::vector<pair_case> same = {
      {{R"({"find": "c", "filter": {"a": "k1"}, "lsid": {"id": 1}})", {}},
       {R"({"find": "c", "filter": {"a": "another key"}, "lsid": {"id": 2}})", {}}},
      {{R"({"insert": "c", "$clusterTime": {"x": 9}})", R"({"a": 1, "b": {"c": 1}})"},
       {R"({"insert": "c", "$clusterTime": {"x": 1}})", R"({"a": 77, "b": {}})"}},
      {{R"({"update": "c"})", R"({"q": {"a": 1, "v": {"$lt": 3}}, "u": {"$set": {"v": 3}}})"},
       {R"({"update": "c"})", R"({"q": {"a": 5, "v": {"$lt": 4}}, "u": {"$set": {"v": 4}}})"}},
  };
  const auto entries = catalog_of(hashed_catalog);
  for (const pair_case& each : same) {
    const outcome one = judge(each.one, *entries);
    ASSERT_TRUE(one.has_pattern) << each.one.body;
    EXPECT_TRUE(one.like.matches(message_of(each.other))) << each.one.body;
  }
}

TEST(pattern, keeps_what_a_verdict_or_a_shape_may_depend_on) {
  const auto entries = catalog_of(hashed_catalog);
  const outcome find = judge({R"({"find": "c", "filter": {"a": 1}})", {}}, *entries);
  ASSERT_TRUE(find.has_pattern);
  for (const std::string_view other :
       {R"({"find": "d", "filter": {"a": 1}})", R"({"find": "c", "filter": {"a": "1"}})",
        R"({"find": "c", "filter": {"b": 1}})", R"({"find": "c", "filter": {"a": [1]}})",
        R"({"find": "c", "filter": {"a": 1}, "sort": {"a": 1}})",
        R"({"find": "c", "filter": {"a": 1}, "$db": "x"})",
        R"({"find": "c", "filter": {"a": 1}, "$db": "db", "$db": "db"})",
        R"({"count": "c", "filter": {"a": 1}})"}) {
    EXPECT_FALSE(find.like.matches(message_of({std::string{other}, {}}))) << other;
  }
}

TEST(pattern, is_not_made_where_a_chunk_or_a_value_decides) {
  const auto entries = catalog_of(
      R"({"collections": [{"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 2}]}]})");
  for (const given_command& each : std::vector<given_command>{
           {R"({"find": "c", "filter": {"a": 1}})", {}},
           {R"({"find": "c", "filter": {"a": 1, "b": {"$gte": 1, "$lte": 1}}})", {}},
           {R"({"find": "c", "filter": {"a": 1, "b": {"$in": [1]}}})", {}},
           {R"({"find": "c", "filter": {"a": 1, "b": 2, "a": 1}})", {}},
           {R"({"aggregate": "c", "pipeline": []})", {}},
           {R"({"explain": {"find": "c", "filter": {"a": 1, "b": 1}}})", {}},
           {R"({"insert": "c", "documents": [{"a": 1, "b": 1}]})", {}},
           {R"({"update": "c"})", R"({"q": {"a": 1, "b": 1}, "u": {"$set": {"a": 1}}})"},
           {R"({"update": "c"})", R"({"q": {"a": 1, "b": 1}, "u": {"a": 1, "b": 1}})"}}) {
    EXPECT_FALSE(judge(each, *entries).has_pattern) << each.body << ' ' << each.statement;
  }
}

TEST(pattern, is_not_made_of_a_batch_of_two_or_of_a_message_with_flags) {
  const auto entries = catalog_of(hashed_catalog);
  const auto one = wire_tests::document(wire_tests::int32_field("a", 1));
  const auto body = wire_tests::body_section(wire_tests::document(
      wire_tests::string_field("insert", "c"), wire_tests::string_field("$db", "db")));
  const auto batch_of = [&](const wire_tests::bytes& documents, std::uint32_t flags) {
    return judge_message(
        wire_tests::op_msg_bytes(flags, wire_tests::joined(body, wire_tests::sequence_section(
                                                                     "documents", documents))),
        *entries);
  };
  EXPECT_TRUE(batch_of(one, 0).has_pattern);
  EXPECT_FALSE(batch_of(wire_tests::joined(one, one), 0).has_pattern);
  EXPECT_FALSE(batch_of(one, wire::msg_flag::more_to_come).has_pattern);
}

/// The message with telemetry before its body, after it, or at its end.
wire_tests::bytes with_telemetry(const given_command& given, int place,
                                 std::string_view traceparent) {
  using namespace wire_tests;
  const bytes plain = message_of(given);
  const bytes section =
      joined(bytes{std::byte{3}},
             document(field(0x03, "otel", document(string_field("traceparent", traceparent)))));
  const auto parsed = wire::parse_op_msg(header_of(plain), plain).value();
  const std::size_t ends[] = {20, 21 + parsed.body.size_bytes(), plain.size()};
  const auto at = plain.begin() + static_cast<std::ptrdiff_t>(ends[place]);
  return op_msg_bytes(0,
                      joined(bytes(plain.begin() + 20, at), section, bytes(at, plain.end())));
}

TEST(pattern, leaves_telemetry_open_and_takes_it_for_nothing_else) {
  const auto entries = catalog_of(hashed_catalog);
  const std::vector<pair_case> same = {
      {{R"({"find": "c", "filter": {"a": "k1"}})", {}},
       {R"({"find": "c", "filter": {"a": "another key"}})", {}}},
      {{R"({"insert": "c"})", R"({"a": 1, "b": {"c": 1}})"},
       {R"({"insert": "c"})", R"({"a": 77, "b": {}})"}}};
  for (const auto& [one, other] : same) {
    const outcome plain = judge(one, *entries);
    for (int place = 0; place != 3; ++place) {
      const outcome again = judge_message(with_telemetry(one, place, "one"), *entries);
      EXPECT_EQ(again.verdict, plain.verdict);
      ASSERT_TRUE(again.has_pattern) << place;
      EXPECT_TRUE(again.like.matches(with_telemetry(other, place, "quite another one")));
      EXPECT_FALSE(again.like.matches(message_of(other)));
      EXPECT_FALSE(plain.like.matches(with_telemetry(other, place, "one")));
      wire_tests::bytes twice = with_telemetry(other, place, "one");
      twice.insert(twice.end(), twice.begin() + 20, twice.end());
      EXPECT_FALSE(again.like.matches(twice)) << place;
      wire_tests::bytes broken = again.message;
      for (std::size_t i = 20; i != broken.size(); ++i) {
        broken[i] ^= std::byte{1};
        if (again.like.matches(broken)) {
          EXPECT_EQ(judge_message(broken, *entries).verdict, plain.verdict) << i;
        }
        broken[i] ^= std::byte{1};
      }
    }
  }
}

TEST(pattern, is_not_made_of_a_message_with_a_token_or_an_unknown_section) {
  using namespace wire_tests;
  const auto entries = catalog_of(hashed_catalog);
  const bytes plain = message_of({R"({"find": "c", "filter": {"a": 1}})", {}});
  for (const int kind : {2, 9}) {
    const bytes section = joined(little(static_cast<std::uint8_t>(kind)), document());
    const bytes sections(plain.begin() + 20, plain.end());
    EXPECT_FALSE(
        judge_message(op_msg_bytes(0, joined(sections, section)), *entries).has_pattern);
    EXPECT_FALSE(
        judge_message(op_msg_bytes(0, joined(section, sections)), *entries).has_pattern);
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
