#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "routing/catalog/catalog.hpp"
#include "routing/classify.hpp"
#include "sim/values/bson_codec.hpp"
#include "tests/sim/from_json.hpp"
#include "tests/sim/recorded_answers.hpp"

// Writes each argument of each command in each BSON type, in each place, and compares the
// daemon's verdict with what the simulator does: nothing that runs is judged as rejected, and
// what asks all owners is a scatter for rules, whatever error the daemon predicts.
namespace scattergate::sim {
namespace {

/// The owners of the collection's chunks: all shards that a scatter asks.
constexpr std::size_t owners = 3;

const document& trial_layout() {
  static const document layout = from_json(R"({"shardKey": {"k": 1}, "chunks": [
      {"min": {"k": {"$minKey": 1}}, "max": {"k": 0}, "shard": "s0"},
      {"min": {"k": 0}, "max": {"k": 10}, "shard": "s1"},
      {"min": {"k": 10}, "max": {"k": {"$maxKey": 1}}, "shard": "s2"}]})");
  return layout;
}

std::vector<value> all_values() {
  const document listed = from_json(R"({"all": [null, {"$undefined": true}, true, false,
      0, 1, -1, 2, 5, {"$numberLong": "0"}, {"$numberLong": "1"}, {"$numberLong": "-1"},
      {"$numberDouble": "0"}, {"$numberDouble": "-0.0"}, {"$numberDouble": "1"},
      {"$numberDouble": "0.5"}, {"$numberDouble": "-0.5"}, {"$numberDouble": "NaN"},
      {"$numberDouble": "Infinity"}, {"$numberDouble": "1e300"},
      {"$numberDecimal": "0"}, {"$numberDecimal": "-0"}, {"$numberDecimal": "0E3"},
      {"$numberDecimal": "1E-6000"}, {"$numberDecimal": "1"}, {"$numberDecimal": "2"},
      {"$numberDecimal": "2.0"}, {"$numberDecimal": "-1"}, {"$numberDecimal": "0.5"},
      {"$numberDecimal": "NaN"}, {"$numberDecimal": "Infinity"},
      "", "x", "int", "g", {}, {"a": 1}, {"$gt": 1}, {"$ref": "a", "$id": 1},
      {"$gt": 1, "$ref": "a", "$id": 1}, [], [1], [4, 0], [{"$numberDecimal": "4"}, 0], [{}],
      [{"a": 1}], [null], {"$binary": {"base64": "AAAA", "subType": "00"}},
      {"$oid": "000000000000000000000001"}, {"$date": {"$numberLong": "0"}},
      {"$timestamp": {"t": 0, "i": 0}}, {"$regularExpression": {"pattern": "a", "options": ""}},
      {"$regularExpression": {"pattern": "a", "options": "g"}}, {"$minKey": 1}, {"$maxKey": 1}]})");
  array all = array_argument(listed, "all");
  all.emplace_back(symbol{"x"});
  all.emplace_back(code{"x"});
  return all;
}

/// A command in which "@" stands for the value. Without "@", each argument is added to it.
struct trial_command {
  std::string_view json;
  std::string_view batch;  ///< the field with statements, which may be a sequence; empty: none
};

/// `~` stands for `$` where the JSON reader would read Extended JSON.
constexpr std::string_view filter_parts[] = {
    R"({"x": "@"})",
    R"({"x": {"$eq": "@"}})",
    R"({"x": {"$ne": "@"}})",
    R"({"x": {"$gt": "@"}})",
    R"({"x": {"$in": "@"}})",
    R"({"x": {"$nin": "@"}})",
    R"({"x": {"$in": ["@", 1]}})",
    R"({"x": {"$all": "@"}})",
    R"({"x": {"$not": "@"}})",
    R"({"x": {"~type": "@"}})",
    R"({"x": {"~type": ["@", 2]}})",
    R"({"x": {"$exists": "@"}})",
    R"({"k": {"$exists": "@"}})",
    R"({"x": {"$size": "@"}})",
    R"({"x": {"$mod": "@"}})",
    R"({"x": {"$mod": ["@", 0]}})",
    R"({"x": {"$mod": [2, "@"]}})",
    R"({"x": {"~regex": "@"}})",
    R"({"x": {"~regex": "a", "~options": "@"}})",
    R"({"x": {"$elemMatch": "@"}})",
    R"({"x": {"$bitsAllSet": "@"}})",
    R"({"$and": "@"})",
    R"({"$or": "@"})",
    R"({"$nor": "@"})",
    R"({"$comment": "@"})",
    R"({"$expr": "@"})",
    R"({"$sampleRate": "@"})",
};

constexpr trial_command commands[] = {
    {R"({"find": "c", "filter": "@"})", {}},
    {R"({"find": "c", "filter": {}})", {}},
    {R"({"count": "c", "query": "@"})", {}},
    {R"({"count": "c", "query": {}})", {}},
    {R"({"distinct": "c", "key": "x", "query": "@"})", {}},
    {R"({"distinct": "c", "key": "x"})", {}},
    {R"({"aggregate": "c", "cursor": {}, "pipeline": []})", {}},
    {R"({"aggregate": "c", "cursor": {}, "pipeline": "@"})", {}},
    {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$limit": "@"}]})", {}},
    {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$skip": "@"}]})", {}},
    {R"({"delete": "c", "deletes": [{"q": {}, "limit": 0}]})", "deletes"},
    {R"({"delete": "c", "deletes": [{"q": {}, "limit": "@"}]})", "deletes"},
    {R"({"delete": "c", "deletes": [{"q": {}, "limit": 0, "collation": "@"}]})", "deletes"},
    {R"({"delete": "c", "deletes": [{"q": {}, "limit": 0, "hint": "@"}]})", "deletes"},
    {R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": true}]})",
     "updates"},
    {R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": "@"}]})",
     "updates"},
    {R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": true,
         "upsert": "@"}]})",
     "updates"},
    {R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": true,
         "c": "@"}]})",
     "updates"},
    {R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": true,
         "collation": "@"}]})",
     "updates"},
    {R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"x": "@"}}, "multi": true}]})",
     "updates"},
    {R"({"findAndModify": "c", "query": {}, "remove": true})", {}},
    {R"({"findAndModify": "c", "query": {}, "remove": "@"})", {}},
    {R"({"findAndModify": "c", "query": {}, "update": {"$set": {"x": 1}}, "upsert": "@"})", {}},
    {R"({"bulkWrite": 1, "nsInfo": [{"ns": "db.c"}], "ops": [{"delete": "@", "filter": {},
         "multi": true}]})",
     {}},
    {R"({"bulkWrite": 1, "nsInfo": [{"ns": "db.c"}], "ops": [{"update": 0, "filter": {},
         "updateMods": {"$set": {"x": 1}}, "multi": true, "constants": "@"}]})",
     {}},
};

constexpr std::string_view added_arguments[] = {"autocommit",
                                                "startTransaction",
                                                "txnNumber",
                                                "rawData",
                                                "limit",
                                                "skip",
                                                "sort",
                                                "ordered",
                                                "collation",
                                                "hint",
                                                "maxTimeMS",
                                                "comment",
                                                "let",
                                                "batchSize",
                                                "new",
                                                "multi",
                                                "upsert",
                                                "remove",
                                                "filter",
                                                "query",
                                                "c",
                                                "unknown1",
                                                "apiVersion",
                                                "allowDiskUse",
                                                "apiStrict",
                                                "coordinator",
                                                "lsid",
                                                "$db",
                                                "$readPreference"};

bool is_place(const value& of) {
  const auto* text = of.as<std::string>();
  return text != nullptr && *text == "@";
}

value replaced(const value& in, const value& by, int times);

/// Puts `by` in its place. `times`: how often the field of that place is there.
document replaced(const document& in, const value& by, int times) {
  document out;
  for (const field& each : in) {
    std::string name = each.name;
    if (name.starts_with('~')) name.front() = '$';
    const int copies = is_place(each.content) ? times : 1;
    for (int i = 0; i < copies; ++i) out.append(name, replaced(each.content, by, times));
  }
  return out;
}

value replaced(const value& in, const value& by, int times) {
  if (is_place(in)) return by;
  if (const auto* inner = in.as<document>()) return replaced(*inner, by, times);
  const auto* members = in.as<array>();
  if (members == nullptr) return in;
  array out;
  for (const value& each : *members) out.push_back(replaced(each, by, times));
  return out;
}

/// The commands in which `by` stands in each place.
std::vector<document> commands_with(const trial_command& command, const value& by, int times) {
  const document base = from_json(command.json);
  std::vector<document> made;
  if (command.json.find('@') == command.json.npos) {
    for (const std::string_view name : added_arguments) {
      if (base.has(name)) continue;
      document one = base;
      for (int i = 0; i < times; ++i) one.append(name, by);
      made.push_back(std::move(one));
    }
    return made;
  }
  made.push_back(replaced(base, by, times));
  if (base.front().name == "find") {
    for (const std::string_view part : filter_parts) {
      made.push_back(replaced(base, value{replaced(from_json(part), by, times)}, 1));
    }
  }
  return made;
}

/// What the daemon shows to rules.
struct shown {
  std::string refused;
  bool may_scatter = false;  ///< a rule against scatters matches, or a rule for what is unread
};

/// A message that the daemon can't read: every rule that may match it does.
const shown unread{{}, true};

class argument_trial {
 public:
  explicit argument_trial(std::string_view version)
      : cluster_(trial_layout(), version), entries_(catalog_of(version)), version_(version) {}

  void try_out(const trial_command& command, const value& by) {
    for (const int times : {1, 2}) try_out(command, by, times);
  }

  [[nodiscard]] std::size_t ran() const noexcept { return ran_; }
  [[nodiscard]] std::size_t scattered() const noexcept { return scattered_; }

 private:
  void try_out(const trial_command& command, const value& by, int times) {
    for (const document& each : commands_with(command, by, times)) {
      compare(each, shown_for(encode(each), {}), run(each, "db"));
      if (!command.batch.empty()) compare_sequence(each, command.batch);
      compare_query(each, each);
      compare_query(each, {{"$query", each}});
      if (each.front().name == "bulkWrite") continue;
      compare_explained(each, {});
      if (!each.has(last_of(each).name)) continue;
      // The added argument beside the explain instead of within it.
      document inner = each;
      if (inner.size() > 2 && inner.erase(last_of(each).name)) compare_explained(inner, each);
    }
  }

  static const field& last_of(const document& of) { return *(of.end() - 1); }

  static std::shared_ptr<const routing::catalog> catalog_of(std::string_view version) {
    routing::collection entry;
    entry.database = "db";
    entry.name = "c";
    entry.key.push_back({"k", false});
    routing::catalog_builder builder;
    const release as = release_named(version).value();
    builder.set_version({static_cast<std::uint16_t>(as.name.front() - '0'),
                         static_cast<std::uint16_t>(as.name.back() - '0'), as.patch});
    EXPECT_EQ(builder.add(entry), std::nullopt);
    for (const value& each : array_argument(trial_layout(), "chunks")) {
      const document& chunk = *each.as<document>();
      const std::string min = encode(document_argument(chunk, "min"));
      const std::string max = encode(document_argument(chunk, "max"));
      EXPECT_EQ(builder.add_chunk(view_of(min), view_of(max), text_argument(chunk, "shard")),
                std::nullopt);
    }
    EXPECT_EQ(builder.finish_collection(), std::nullopt);
    return builder.build();
  }

  static wire::document_view view_of(const std::string& bytes) {
    return wire::document_view::from(std::as_bytes(std::span{bytes})).value();
  }

  static bool is_unread(const routing::verdict& of) {
    return of.why == routing::reason::unreadable || of.why == routing::reason::too_deep ||
           of.may_touch_more;
  }

  /// `sections`: the sections of the message after its body; empty: none.
  [[nodiscard]] shown shown_for(const std::string& body, const std::string& sections) {
    auto asked = wire::command_of(view_of(body));
    if (!asked) return unread;
    asked->sequences = wire::sequence_range{std::as_bytes(std::span{sections})};
    asked->database = asked->name == "bulkWrite" ? "admin" : "db";
    return shown_for(*asked);
  }

  [[nodiscard]] shown shown_for(const wire::command& asked) {
    routing::scratch memory{block_};
    const routing::verdict made = routing::classify(asked, *entries_, memory);
    const auto is_caught = [](const routing::verdict& of) {
      return of.routing == routing::routing_class::scatter_gather || is_unread(of);
    };
    const bool in_a_touch = std::ranges::any_of(made.touches, [&](const routing::touch& one) {
      return is_caught(made.verdict_in(one));
    });
    return {std::string{label(made.refused)}, is_caught(made) || in_a_touch};
  }

  [[nodiscard]] trial_outcome run(const document& command, const std::string& database) {
    return cluster_.outcome_on_shards(command,
                                      command.front().name == "bulkWrite" ? "admin" : database);
  }

  void compare(const document& command, const shown& ours, const trial_outcome& theirs) {
    if (!theirs.runs) return;
    ++ran_;
    EXPECT_EQ(ours.refused, "") << version_ << ' ' << to_json(command);
    if (theirs.shards < owners) return;
    ++scattered_;
    EXPECT_TRUE(ours.may_scatter) << version_ << ' ' << to_json(command);
  }

  /// The command in an OP_QUERY with this document.
  void compare_query(const document& command, const document& query) {
    const std::string bytes = encode(query);
    wire::op_query message;
    message.full_collection_name =
        command.front().name == "bulkWrite" ? "admin.$cmd" : "db.$cmd";
    message.query = view_of(bytes);
    const auto asked = wire::command_of(message);
    compare(command, asked ? shown_for(*asked) : unread, run(command, "db"));
  }

  void compare_sequence(const document& command, std::string_view batch) {
    document body = command;
    if (!body.erase(batch)) return;
    std::string content{batch};
    content.push_back('\0');
    for (const value& each : array_argument(command, batch)) {
      content += encode(*each.as<document>());
    }
    const auto size = static_cast<std::uint32_t>(content.size() + sizeof(std::uint32_t));
    std::string section{'\1'};
    for (unsigned shift = 0; shift < 32; shift += 8) {
      section.push_back(static_cast<char>(size >> shift & 0xff));
    }
    compare(command, shown_for(encode(body), section + content), run(command, "db"));
  }

  /// `beside`: its last field stands beside the explain; empty: none.
  void compare_explained(const document& inner, const document& beside) {
    document command{{"explain", inner}, {"verbosity", "queryPlanner"}};
    if (!beside.empty()) command.append(last_of(beside).name, last_of(beside).content);
    compare(command, shown_for(encode(command), {}), run(command, "db"));
  }

  recorded_cluster cluster_;
  std::shared_ptr<const routing::catalog> entries_;
  std::string version_;
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  std::size_t ran_ = 0;
  std::size_t scattered_ = 0;
};

class argument_types : public ::testing::TestWithParam<const char*> {};

TEST_P(argument_types, nothing_that_runs_is_judged_as_rejected_and_no_scatter_is_hidden) {
  argument_trial trial{GetParam()};
  const std::vector<value> values = all_values();
  for (const trial_command& command : commands) {
    for (const value& each : values) trial.try_out(command, each);
    if (::testing::Test::HasFailure()) return;  // the first command's failures say enough
  }
  EXPECT_GT(trial.ran(), 5000U);
  EXPECT_GT(trial.scattered(), 3000U);
}

INSTANTIATE_TEST_SUITE_P(of_each_version, argument_types,
                         ::testing::Values("4.4.0", "5.0.0", "6.0.12", "7.0.12", "8.0.4",
                                           "8.1.0", "8.2.0", "9.0.0"));

}  // namespace
}  // namespace scattergate::sim
