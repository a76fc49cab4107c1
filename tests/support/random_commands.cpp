#include "tests/routing/random_commands.hpp"

#include <sstream>
#include <string_view>

#include "tests/support/json_document.hpp"

namespace scattergate::routing_tests {
namespace {

std::string_view sequence_of(std::string_view name) {
  if (name == "insert") return "documents";
  return name == "update" ? "updates" : "deletes";
}

}  // namespace

std::string verdict_text(const routing::verdict& made, std::uint64_t shape) {
  std::ostringstream text;
  text << static_cast<int>(made.command) << ' ' << label(made.routing) << ' '
       << label(made.bounds) << ' ' << label(made.why) << ' ' << label(made.lint) << ' '
       << label(made.refused) << ' ' << made.missing << ' '
       << (made.fanout ? static_cast<int>(made.fanout->size()) : -1) << ' '
       << made.sent_to.has_value() << ' ' << shape;
  for (const std::uint32_t count : made.statements) text << ' ' << count;
  return text.str();
}

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

given_command command_source::next() {
  given_command made = any();
  last_ = made.body + ' ' + made.statement;
  return made;
}

given_command command_source::any() {
  switch (below(6)) {
    case 0:
      return {R"({"find": "c", "filter": )" + filter() + rest(), {}};
    case 1:
      return {R"({"count": "c", "query": )" + filter() + rest(), {}};
    case 2:
      return {R"({"findAndModify": "c", "query": )" + filter() + R"(, "update": )" + update() +
                  rest(),
              {}};
    case 3:
      return {R"({"insert": "c")" + rest(), document()};
    case 4:
      return {R"({"delete": "c")" + rest(),
              R"({"q": )" + filter() + R"(, "limit": )" + pick({"0", "1"}) + "}"};
    default:
      return {R"({"update": "c")" + rest(),
              R"({"q": )" + filter() + R"(, "u": )" + update() + R"(, "multi": )" +
                  pick({"true", "false"}) + R"(, "upsert": )" + pick({"true", "false"}) + "}"};
  }
}

std::string command_source::name() {
  return pick({"a", "b", "_id", "other", "a.b"});
}

std::string command_source::value() {
  return pick({"1", "2", "7", R"("x")", R"("x:3")", R"("")", "null", "true", "false",
               R"({"$numberDouble": "NaN"})", R"({"$numberDouble": "2.5"})",
               R"({"$numberLong": "5"})", R"({"$oid": "0123456789abcdef01234567"})",
               R"({"$oid": "fffffffffffffffffffffff0"})", R"({"$date": {"$numberLong": "5"}})",
               R"([1, 2])", R"({"b": 1})", R"({"$minKey": 1})"});
}

std::string command_source::predicate() {
  if (below(4) != 0) return value();
  if (below(3) == 0) return R"({"$exists": )" + pick({"true", "false"}) + "}";
  const std::string first = pick({"$gt", "$gte", "$ne", "$in", "$not"});
  if (below(2) == 0) return R"({")" + first + R"(": )" + value() + "}";
  return R"({")" + first + R"(": )" + value() + R"(, "$lte": )" + value() + "}";
}

std::string command_source::filter() {
  std::string text = "{";
  for (std::size_t left = below(4); left != 0; --left) {
    text += '"' + name() + R"(": )" + predicate() + (left > 1 ? ", " : "");
  }
  return text + "}";
}

std::string command_source::document() {
  return R"({")" + name() + R"(": )" + value() + R"(, ")" + name() + R"(": )" + value() +
         R"(, "z": )" + value() + "}";
}

std::string command_source::update() {
  return R"({")" + pick({"$set", "$set", "$inc", "z"}) + R"(": {")" + name() + R"(": )" +
         value() + "}}";
}

std::string command_source::rest() {
  return pick({R"(, "$db": "db"})", R"(, "limit": 1, "$db": "db"})",
               R"(, "lsid": {"id": 1}, "txnNumber": {"$numberLong": "4"}, "$db": "db"})",
               R"(, "collation": {"locale": "en"}, "$db": "db"})",
               R"(, "hint": {"a": 1}, "comment": "x", "$db": "db"})",
               R"(, "let": {"v": 3}, "maxTimeMS": 5, "$db": "db"})",
               R"(, "txnNumber": {"$numberLong": "5"}, "autocommit": false, "$db": "db"})",
               R"(, "readConcern": {"level": "local"}, "$db": "other"})"});
}

const std::vector<std::string>& key_catalogs() {
  static const std::vector<std::string> catalogs = {
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
  return catalogs;
}

}  // namespace scattergate::routing_tests
