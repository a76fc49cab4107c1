#include "config/mongosh/shell_reader.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <bson/bson.h>
#include <gtest/gtest.h>

#include "tests/support/single_spaced.hpp"

namespace scattergate::config {
namespace {

/// The document in libbson's relaxed Extended JSON.
std::string relaxed(const parse_result<bson_bytes>& made) {
  if (!made) return "error: " + made.error().what;
  bson_t document;
  const auto* const data = reinterpret_cast<const std::uint8_t*>(made->bytes.data());
  if (!bson_init_static(&document, data, made->bytes.size())) return "not BSON";
  const std::unique_ptr<char, void (*)(void*)> text{
      bson_as_relaxed_extended_json(&document, nullptr), bson_free};
  return text ? tests::single_spaced(text.get()) : "not BSON";
}

/// The commands of a text, one per line, or the problem.
std::string commands_in(shell_reader& reader, std::string_view text) {
  const auto read = reader.read(text, 1);
  if (!read) return std::to_string(read.error().line) + ": " + read.error().what;
  std::string all;
  for (const shell_command& each : *read) {
    all += (all.empty() ? "" : "\n") + relaxed(each.body.to_bson());
  }
  return all;
}

std::string commands_in(std::string_view text) {
  shell_reader reader{[](std::string_view collection) {
    return std::string{collection == "unknown" ? "" : "shop"};
  }};
  return commands_in(reader, text);
}

struct statement_case {
  const char* text;
  const char* command;
};

class mongosh_statement : public testing::TestWithParam<statement_case> {};

TEST_P(mongosh_statement, is_the_command_that_mongosh_sends) {
  EXPECT_EQ(commands_in(GetParam().text), GetParam().command);
}

INSTANTIATE_TEST_SUITE_P(
    reads, mongosh_statement,
    testing::Values(
        statement_case{"db.orders.find({status: 'x',}).sort({a: -1}).limit(5)",
                       R"({ "find" : "orders", "filter" : { "status" : "x" }, "$db" : )"
                       R"("shop", "sort" : { "a" : -1 }, "limit" : 5 })"},
        statement_case{"db.orders.findOne()",
                       R"({ "find" : "orders", "filter" : { }, "limit" : 1, )"
                       R"("singleBatch" : true, "$db" : "shop" })"},
        statement_case{"db.getCollection(\"a-b\").find({}).count()",
                       R"({ "count" : "a-b", "query" : { }, "$db" : "shop" })"},
        statement_case{"db['a.b'].distinct('x', {y: 1})",
                       R"({ "distinct" : "a.b", "key" : "x", "query" : { "y" : 1 }, )"
                       R"("$db" : "shop" })"},
        statement_case{"use crm\ndb.people.find({})",
                       R"({ "find" : "people", "filter" : { }, "$db" : "crm" })"},
        statement_case{"db.getSiblingDB('crm').people.find({}).forEach(d => print(\"}\", d))",
                       R"({ "find" : "people", "filter" : { }, "$db" : "crm" })"},
        statement_case{"db.runCommand({find: 'orders'})",
                       R"({ "find" : "orders", "$db" : "shop" })"},
        statement_case{"db.orders // all\n  .aggregate([ /* open */ {$match: {a: 1}}, ]);",
                       R"({ "aggregate" : "orders", "pipeline" : [ { "$match" : )"
                       R"({ "a" : 1 } } ], "cursor" : { }, "$db" : "shop" })"},
        statement_case{"db.orders.explain().find({a: 1})",
                       R"({ "find" : "orders", "filter" : { "a" : 1 }, "$db" : "shop" })"}));

INSTANTIATE_TEST_SUITE_P(
    writes, mongosh_statement,
    testing::Values(
        statement_case{"db.orders.updateOne({a: 1}, {$set: {b: 2}}, {upsert: true})",
                       R"({ "update" : "orders", "updates" : [ { "q" : { "a" : 1 }, "u" : )"
                       R"({ "$set" : { "b" : 2 } }, "upsert" : true } ], "$db" : "shop" })"},
        statement_case{"db.orders.updateMany({}, [{$set: {b: 2}}])",
                       R"({ "update" : "orders", "updates" : [ { "q" : { }, "u" : )"
                       R"([ { "$set" : { "b" : 2 } } ], "multi" : true } ], "$db" : "shop" })"},
        statement_case{"db.orders.remove({a: 1}, true)",
                       R"({ "delete" : "orders", "deletes" : [ { "q" : { "a" : 1 }, )"
                       R"("limit" : 1 } ], "$db" : "shop" })"},
        statement_case{"db.orders.findOneAndDelete({a: 1}, {sort: {b: 1}})",
                       R"({ "findAndModify" : "orders", "query" : { "a" : 1 }, )"
                       R"("remove" : true, "sort" : { "b" : 1 }, "$db" : "shop" })"},
        statement_case{"db.orders.bulkWrite([{deleteMany: {filter: {a: 1}}}, "
                       "{insertOne: {document: {b: 1}}}])",
                       R"({ "delete" : "orders", "deletes" : [ { "q" : { "a" : 1 }, )"
                       R"("limit" : 0 } ], "$db" : "shop" })"
                       "\n"
                       R"({ "insert" : "orders", "documents" : [ { "b" : 1 } ], )"
                       R"("$db" : "shop" })"}));

TEST(shell_reader, reads_what_compass_exports_for_node) {
  EXPECT_EQ(commands_in("import { MongoClient } from 'mongodb';\n"
                        "/* Requires the driver */\n"
                        "const filter = {\n  'status': 'x'\n};\n"
                        "const sort = { 'a': 1 };\n"
                        "const client = await MongoClient.connect(\n  'mongodb://h:1/'\n);\n"
                        "const coll = client.db('crm').collection('orders');\n"
                        "const cursor = coll.find(filter, { sort });\n"
                        "const result = await cursor.toArray();\n"
                        "await client.close();"),
            R"({ "find" : "orders", "filter" : { "status" : "x" }, "sort" : { "a" : 1 }, )"
            R"("$db" : "crm" })");
}

TEST(shell_reader, remembers_variables_and_the_database_from_one_text_to_the_next) {
  shell_reader reader{[](std::string_view) { return std::string{}; }};
  EXPECT_EQ(commands_in(reader, "use crm"), "");
  EXPECT_EQ(commands_in(reader, "var q = {a: 1}"), "");
  EXPECT_EQ(commands_in(reader, "db.c.find({$or: [q, q]})"),
            R"({ "find" : "c", "filter" : { "$or" : [ { "a" : 1 }, { "a" : 1 } ] }, )"
            R"("$db" : "crm" })");
}

class mongosh_value : public testing::TestWithParam<statement_case> {};

TEST_P(mongosh_value, has_its_type) {
  shell_reader reader{[](std::string_view) { return std::string{}; }};
  const auto read = reader.read_value("{a: " + std::string{GetParam().text} + "}", 1);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(relaxed(read->to_bson()), "{ \"a\" : " + std::string{GetParam().command} + " }");
}

INSTANTIATE_TEST_SUITE_P(
    all, mongosh_value,
    testing::Values(
        statement_case{"ObjectId('57e193d7a9cc81b4027498b5')",
                       R"({ "$oid" : "57e193d7a9cc81b4027498b5" })"},
        statement_case{"new ISODate('2026-01-31')", R"({ "$date" : "2026-01-31T00:00:00Z" })"},
        statement_case{"ISODate('2026-01-31 10:20')",
                       R"({ "$date" : "2026-01-31T10:20:00Z" })"},
        statement_case{"new Date(1000)", R"({ "$date" : "1970-01-01T00:00:01Z" })"},
        statement_case{"NumberLong('-5')", "-5"}, statement_case{"Int32(7)", "7"},
        statement_case{"NumberDecimal('1.5')", R"({ "$numberDecimal" : "1.5" })"},
        statement_case{"UUID('00112233-4455-6677-8899-aabbccddeeff')",
                       R"({ "$binary" : { "base64" : "ABEiM0RVZneImaq7zN3u/w==", )"
                       R"("subType" : "04" } })"},
        statement_case{"BinData(0, 'AQI=')",
                       R"({ "$binary" : { "base64" : "AQI=", "subType" : "00" } })"},
        statement_case{"Timestamp(5, 1)", R"({ "$timestamp" : { "t" : 5, "i" : 1 } })"},
        statement_case{
            "/^a\\/[/]b/i",
            R"({ "$regularExpression" : { "pattern" : "^a/[/]b", "options" : "i" } })"},
        statement_case{"MinKey", R"({ "$minKey" : 1 })"},
        statement_case{"-Infinity", R"({ "$numberDouble" : "-Infinity" })"},
        statement_case{".5", "0.5"}, statement_case{"undefined", "null"},
        statement_case{"'\\u00e9\\'\\x41'", "\"\u00e9'A\""}));

class unread_statement : public testing::TestWithParam<statement_case> {};

TEST_P(unread_statement, says_what_the_reader_takes) {
  const std::string said = commands_in(GetParam().text);
  EXPECT_EQ(said.substr(0, std::string_view{GetParam().command}.size()), GetParam().command);
}

INSTANTIATE_TEST_SUITE_P(
    all, unread_statement,
    testing::Values(
        statement_case{"nonsense", "1: expected a command {...}, db.COLLECTION.METHOD(...), "},
        statement_case{"orders.find({})", "1: expected a command {...}, db.COLLECTION.METHOD"},
        statement_case{"for (;;) {}",
                       "1: expected a command {...}, db.COLLECTION.METHOD(...), "},
        statement_case{
            "db.orders.fnd({})",
            "1: a collection has no method 'fnd'; did you mean 'find'? (known: find, "},
        statement_case{"db.orders.find({}).srt({})",
                       "1: a cursor has no method 'srt'; did you mean 'sort'? (known: sort, "},
        statement_case{"db.orders.find(\n{a: x})",
                       "2: 'x' isn't a value: expected a literal, "},
        statement_case{"db.orders.find({a: 1 + 2})", "1: expected a literal value: "},
        statement_case{"db.orders.find('x')", "1: find(): expected a filter, {...}"},
        statement_case{"db.orders.find({a: NumberInt('5.5')})",
                       "1: NumberInt(): expected an integer in decimal digits"},
        statement_case{"db.orders.find({a: '\xff'})", "1: not UTF-8"},
        statement_case{"db.orders.find({a: BinData})", "1: BinData(): expected a subtype"},
        statement_case{"db.orders.find({a: /x/g})", "1: MongoDB has no flag g"},
        statement_case{"db.orders.find({a: 'x})", "1: a text without its closing quote"},
        statement_case{"db.orders.find({a: 1}", "1: expected ), not the end"},
        statement_case{"db.unknown.find({})", "1: the database isn't known: say use DATABASE"},
        statement_case{
            "const c = model(); c.find({a: 1})",
            "1: find(): which collection isn't known: expected db.COLLECTION.find"}));

TEST(shell_reader, bounds_depth_and_memory) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(commands_in("a = " + deep), "1: more than 250 levels");
  std::string nested{"a = 1\n"};
  std::string doubled{"a = [1]\n"};
  for (int i = 0; i < 1000; ++i) nested += "a = [a]\n";
  for (int i = 0; i < 100; ++i) doubled += "a = [a, a]\n";
  EXPECT_NE(commands_in(nested).find("more than 250 levels"), std::string::npos);
  EXPECT_NE(commands_in(doubled).find("the variables are too large"), std::string::npos);
}

}  // namespace
}  // namespace scattergate::config
