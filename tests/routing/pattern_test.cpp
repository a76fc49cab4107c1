#include "routing/pattern.hpp"

#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "routing/pattern_writer.hpp"
#include "tests/routing/judging_support.hpp"
#include "tests/routing/shape_support.hpp"
#include "tests/wire/messages.hpp"

namespace scattergate::routing_tests {
namespace {

/// A command in the shell's words, with the statements of a batch apart.
struct given_command {
  std::string body;
  std::string statement;  ///< empty: no batch
};

std::string_view sequence_of(std::string_view name) {
  if (name == "insert") return "documents";
  return name == "update" ? "updates" : "deletes";
}

/// All that is counted and audited of a verdict, but the places of its shards.
std::string told(const routing::verdict& made, std::uint64_t shape) {
  std::ostringstream text;
  text << static_cast<int>(made.command) << ' ' << label(made.routing) << ' '
       << label(made.bounds) << ' ' << label(made.why) << ' ' << label(made.lint) << ' '
       << label(made.refused) << ' ' << made.missing << ' '
       << (made.fanout ? static_cast<int>(made.fanout->size()) : -1) << ' '
       << made.sent_to.has_value() << ' ' << shape;
  for (const std::uint32_t count : made.statements) text << ' ' << count;
  return text.str();
}

/// A command as a message, what it was judged to be, and what is like it.
struct outcome {
  wire_tests::bytes message;
  std::string told;
  routing::pattern like;
  bool has_pattern = false;
};

/// The message of `given`, sent to the database `db` where it doesn't say so itself.
wire_tests::bytes message_of(const given_command& given) {
  std::string body = given.body;
  if (body.find("$db") == body.npos) body.replace(body.size() - 1, 1, R"(, "$db": "db"})");
  const auto bytes_of = [](const std::string& json) {
    const tests::json_document document{json};
    const auto view = document.view().bytes();
    return wire_tests::bytes{view.begin(), view.end()};
  };
  wire_tests::bytes sections = wire_tests::body_section(bytes_of(body));
  if (!given.statement.empty()) {
    const auto name = body.substr(2, body.find('"', 2) - 2);
    sections = wire_tests::joined(
        sections, wire_tests::sequence_section(sequence_of(name), bytes_of(given.statement)));
  }
  return wire_tests::op_msg_bytes(0, sections);
}

outcome judge_message(wire_tests::bytes message, const routing::catalog& entries) {
  static lent_scratch lent;
  static lent_scratch for_shape;
  outcome found;
  const auto parsed = wire::parse_op_msg(wire_tests::header_of(message), message).value();
  const auto command = wire::command_of(parsed).value();
  const auto made = routing::classify(command, entries, lent.memory());
  found.has_pattern = routing::write_pattern(parsed, message, made, entries, found.like);
  found.told = told(made, routing::shape_hash(command, for_shape.memory()));
  found.message = std::move(message);
  return found;
}

outcome judge(const given_command& given, const routing::catalog& entries) {
  return judge_message(message_of(given), entries);
}

/// Random commands of few forms and many values.
/// Thread-safety: one thread.
class command_source {
 public:
  explicit command_source(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] given_command next() {
    given_command made = any();
    last_ = made.body + ' ' + made.statement;
    return made;
  }
  /// What next() made last, for a failure.
  [[nodiscard]] const std::string& last() const { return last_; }

 private:
  [[nodiscard]] given_command any() {
    switch (below(6)) {
      case 0:
        return {R"({"find": "c", "filter": )" + filter() + rest(), {}};
      case 1:
        return {R"({"count": "c", "query": )" + filter() + rest(), {}};
      case 2:
        return {R"({"findAndModify": "c", "query": )" + filter() + R"(, "update": )" +
                    update() + rest(),
                {}};
      case 3:
        return {R"({"insert": "c")" + rest(), document()};
      case 4:
        return {R"({"delete": "c")" + rest(),
                R"({"q": )" + filter() + R"(, "limit": )" + pick({"0", "1"}) + "}"};
      default:
        return {R"({"update": "c")" + rest(), R"({"q": )" + filter() + R"(, "u": )" + update() +
                                                  R"(, "multi": )" + pick({"true", "false"}) +
                                                  R"(, "upsert": )" + pick({"true", "false"}) +
                                                  "}"};
    }
  }

  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
  [[nodiscard]] std::string pick(const std::vector<std::string>& from) {
    return from[below(from.size())];
  }
  [[nodiscard]] std::string name() { return pick({"a", "b", "_id", "other", "a.b"}); }
  [[nodiscard]] std::string value() {
    return pick({"1", "2", "7", R"("x")", R"("x:3")", R"("")", "null", "true", "false",
                 R"({"$numberDouble": "NaN"})", R"({"$numberDouble": "2.5"})",
                 R"({"$numberLong": "5"})", R"({"$oid": "0123456789abcdef01234567"})",
                 R"({"$oid": "fffffffffffffffffffffff0"})",
                 R"({"$date": {"$numberLong": "5"}})", R"([1, 2])", R"({"b": 1})",
                 R"({"$minKey": 1})"});
  }
  [[nodiscard]] std::string predicate() {
    if (below(4) != 0) return value();
    if (below(3) == 0) return R"({"$exists": )" + pick({"true", "false"}) + "}";
    const std::string first = pick({"$gt", "$gte", "$ne", "$in", "$not"});
    if (below(2) == 0) return R"({")" + first + R"(": )" + value() + "}";
    return R"({")" + first + R"(": )" + value() + R"(, "$lte": )" + value() + "}";
  }
  [[nodiscard]] std::string filter() {
    std::string text = "{";
    for (std::size_t left = below(4); left != 0; --left) {
      text += '"' + name() + R"(": )" + predicate() + (left > 1 ? ", " : "");
    }
    return text + "}";
  }
  [[nodiscard]] std::string document() {
    return R"({")" + name() + R"(": )" + value() + R"(, ")" + name() + R"(": )" + value() +
           R"(, "z": )" + value() + "}";
  }
  [[nodiscard]] std::string update() {
    return R"({")" + pick({"$set", "$set", "$inc", "z"}) + R"(": {")" + name() + R"(": )" +
           value() + "}}";
  }
  [[nodiscard]] std::string rest() {
    return pick({R"(, "$db": "db"})", R"(, "limit": 1, "$db": "db"})",
                 R"(, "lsid": {"id": 1}, "txnNumber": {"$numberLong": "4"}, "$db": "db"})",
                 R"(, "collation": {"locale": "en"}, "$db": "db"})",
                 R"(, "hint": {"a": 1}, "comment": "x", "$db": "db"})",
                 R"(, "let": {"v": 3}, "maxTimeMS": 5, "$db": "db"})",
                 R"(, "txnNumber": {"$numberLong": "5"}, "autocommit": false, "$db": "db"})",
                 R"(, "readConcern": {"level": "local"}, "$db": "other"})"});
  }

  std::mt19937 random_;
  std::string last_;
};

const std::vector<std::string> catalogs = {
    R"({"collections": [{"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 2}, {"a": 6}]}]})",
    R"({"collections": [{"ns": "db.c", "key": {"a": "hashed"}, "splits": [{"a": 0}]}]})",
    R"({"collections": [{"ns": "db.c", "key": {"a": 1, "b": "hashed"},
        "splits": [{"a": 2}, {"a": "x"}]}]})",
    R"({"collections": [{"ns": "db.c", "key": {"_id": 1}, "splits": [{"_id": 2}]}]})",
    R"({"collections": [{"ns": "db.c", "key": {"a.b": 1}, "splits": [{"a.b": 2}]}]})",
    R"({"collections": [{"ns": "db.c", "key": {"a": 1, "_id": 1}}]})",
    R"({"version": "6.0", "collections": [{"ns": "db.c", "key": {"a": 1, "b": 1},
        "splits": [{"a": 2, "b": 2}], "collation": {"locale": "en"}}]})",
    R"({"collections": []})",
    R"({"unlisted": "unknown", "collections": [{"ns": "db.d", "key": {"a": 1}}]})",
    R"({"collections": [{"ns": "db.d", "key": {"a": 1}},
        {"ns": "db.c", "viewOn": "d", "pipeline": []}]})",
    R"({"version": "4.2", "collections": [{"ns": "db.c", "key": {"a": "hashed", "_id": 1},
        "splits": [{"a": 0}, {"a": 9}]}]})",
    R"({"collections": [{"ns": "db.c", "key": {"a": 1}, "timeSeries": true}]})",
};

TEST(pattern, matches_only_what_is_judged_alike_whatever_the_values) {
  std::size_t matched = 0;
  for (std::size_t i = 0; i < catalogs.size(); ++i) {
    const auto entries = catalog_of(catalogs[i]);
    command_source commands{static_cast<std::uint32_t>(i + 1)};
    std::vector<outcome> patterns;
    for (int n = 0; n < 3'000; ++n) {
      outcome found = judge(commands.next(), *entries);
      bool is_known = false;
      for (const outcome& each : patterns) {
        if (!each.like.matches(found.message)) continue;
        is_known = true;
        ASSERT_EQ(found.told, each.told) << commands.last();
      }
      matched += is_known;
      ASSERT_TRUE(!found.has_pattern || found.like.matches(found.message)) << commands.last();
      if (found.has_pattern && !is_known) patterns.push_back(std::move(found));
    }
  }
  EXPECT_GT(matched, 2'000U);
}

TEST(pattern, matches_no_broken_message) {
  const auto entries = catalog_of(catalogs[0]);
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
      ASSERT_EQ(judge_message(other, *entries).told, found.told) << commands.last();
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

}  // namespace
}  // namespace scattergate::routing_tests
