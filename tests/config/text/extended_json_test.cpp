#include "config/text/extended_json.hpp"

#include <memory>
#include <string>

#include <bson/bson.h>
#include <gtest/gtest.h>

#include "config/text/text_readers.hpp"
#include "tests/support/single_spaced.hpp"

namespace scattergate::config {
namespace {

// The result, in libbson's canonical Extended JSON.
std::string shown(const parse_result<bson_bytes>& read) {
  if (!read) return "error: " + read.error().what;
  const bson_bytes& made = *read;
  bson_t document;
  const auto* const data = reinterpret_cast<const std::uint8_t*>(made.bytes.data());
  if (!bson_init_static(&document, data, made.bytes.size())) return "not BSON";
  const std::unique_ptr<char, void (*)(void*)> text{
      bson_as_canonical_extended_json(&document, nullptr), bson_free};
  return text ? text.get() : "not BSON";
}

std::string of_json(const std::string& text) {
  return shown(bson_of_json(text));
}

std::string of_yaml(const std::string& text) {
  const auto parsed = parse_yaml(text);
  return parsed ? shown(bson_of(parsed->root())) : "YAML: " + parsed.error().what;
}

struct json_case {
  const char* text;
  const char* value;  // of the field a
};

TEST(extended_json, reads_canonical_values) {
  const json_case rows[] = {
      {R"({"$oid":"57e193d7a9cc81b4027498b5"})", R"({ "$oid" : "57e193d7a9cc81b4027498b5" })"},
      {R"({"$numberInt":"-5"})", R"({ "$numberInt" : "-5" })"},
      {R"({"$numberLong":"5"})", R"({ "$numberLong" : "5" })"},
      {R"({"$numberLong":"-9223372036854775808"})",
       R"({ "$numberLong" : "-9223372036854775808" })"},
      {R"({"$numberDouble":"1.5"})", R"({ "$numberDouble" : "1.5" })"},
      {R"({"$numberDouble":"NaN"})", R"({ "$numberDouble" : "NaN" })"},
      {R"({"$numberDouble":"-Infinity"})", R"({ "$numberDouble" : "-Infinity" })"},
      {R"({"$numberDecimal":"1.50"})", R"({ "$numberDecimal" : "1.50" })"},
      {R"({"$binary":{"base64":"AQID","subType":"80"}})",
       R"({ "$binary" : { "base64" : "AQID", "subType" : "80" } })"},
      {R"({"$binary":{"subType":"0","base64":""}})",
       R"({ "$binary" : { "base64" : "", "subType" : "00" } })"},
      {R"({"$binary":"AQ==","$type":"05"})",
       R"({ "$binary" : { "base64" : "AQ==", "subType" : "05" } })"},
      {R"({"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"})",
       R"({ "$binary" : { "base64" : "c//SZESzTGmQ6OfR38A11A==", "subType" : "04" } })"},
      {R"({"$date":{"$numberLong":"-1"}})", R"({ "$date" : { "$numberLong" : "-1" } })"},
      {R"({"$timestamp":{"t":1,"i":4294967295}})",
       R"({ "$timestamp" : { "t" : 1, "i" : 4294967295 } })"},
      {R"({"$regularExpression":{"pattern":"^x","options":"xi"}})",
       R"({ "$regularExpression" : { "pattern" : "^x", "options" : "ix" } })"},
      {R"({"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}})",
       R"({ "$dbPointer" : { "$ref" : "c", "$id" : { "$oid" : "57e193d7a9cc81b4027498b5" } } })"},
      {R"({"$symbol":"s"})", R"({ "$symbol" : "s" })"},
      {R"({"$code":"f"})", R"({ "$code" : "f" })"},
      {R"({"$minKey":1})", R"({ "$minKey" : 1 })"},
      {R"({"$maxKey":1})", R"({ "$maxKey" : 1 })"},
      {R"({"$undefined":true})", R"({ "$undefined" : true })"},
  };
  for (const json_case& one : rows) {
    EXPECT_EQ(of_json(std::string{"{\"a\":"} + one.text + "}"),
              std::string{"{ \"a\" : "} + one.value + " }");
  }
}

TEST(extended_json, reads_relaxed_values) {
  const json_case rows[] = {
      {"5", R"({ "$numberInt" : "5" })"},
      {"2147483648", R"({ "$numberLong" : "2147483648" })"},
      {"-2147483648", R"({ "$numberInt" : "-2147483648" })"},
      {"9223372036854775808", R"({ "$numberDouble" : "9223372036854775808.0" })"},
      {"1.0", R"({ "$numberDouble" : "1.0" })"},
      {"1e2", R"({ "$numberDouble" : "100.0" })"},
      {"\"5\"", "\"5\""},
      {"true", "true"},
      {"null", "null"},
      {R"([1,[],{}])", R"([ { "$numberInt" : "1" }, [ ], { } ])"},
      {R"({"$date":"1970-01-01T00:00:01Z"})", R"({ "$date" : { "$numberLong" : "1000" } })"},
      {R"({"$date":"2012-12-24T12:15:30.501Z"})",
       R"({ "$date" : { "$numberLong" : "1356351330501" } })"},
      {R"({"$date":"1970-01-01T01:00:00.5+01:00"})",
       R"({ "$date" : { "$numberLong" : "500" } })"},
      {R"({"$date":"1969-12-31T23:00:00-0100"})", R"({ "$date" : { "$numberLong" : "0" } })"},
      {R"({"$date":5})", R"({ "$date" : { "$numberLong" : "5" } })"},
  };
  for (const json_case& one : rows) {
    EXPECT_EQ(tests::single_spaced(of_json(std::string{"{\"a\":"} + one.text + "}")),
              std::string{"{ \"a\" : "} + one.value + " }");
  }
}

// libbson's own reader refuses or rewrites these.
TEST(extended_json, leaves_query_operators_alone) {
  const json_case rows[] = {
      {R"({"$type":2})", R"({ "$type" : { "$numberInt" : "2" } })"},
      {R"({"$type":["int",2]})", R"({ "$type" : [ "int", { "$numberInt" : "2" } ] })"},
      {R"({"$type":"string","$exists":true})", R"({ "$type" : "string", "$exists" : true })"},
      {R"({"$regex":"^x"})", R"({ "$regex" : "^x" })"},
      {R"({"$regex":"^x","$options":"i"})", R"({ "$regex" : "^x", "$options" : "i" })"},
      {R"({"$regex":"^x","$ne":3})", R"({ "$regex" : "^x", "$ne" : { "$numberInt" : "3" } })"},
      {R"({"$regex":{"$regularExpression":{"pattern":"x","options":""}}})",
       R"({ "$regex" : { "$regularExpression" : { "pattern" : "x", "options" : "" } } })"},
      {R"({"$ref":"c","$id":5})", R"({ "$ref" : "c", "$id" : { "$numberInt" : "5" } })"},
      {R"({"$gt":{"$minKey":1}})", R"({ "$gt" : { "$minKey" : 1 } })"},
      {R"({"b":1,"$oid":"x"})", R"({ "b" : { "$numberInt" : "1" }, "$oid" : "x" })"},
  };
  for (const json_case& one : rows) {
    EXPECT_EQ(of_json(std::string{"{\"a\":"} + one.text + "}"),
              std::string{"{ \"a\" : "} + one.value + " }");
  }
}

TEST(extended_json, reads_code_with_its_scope) {
  const bson_bytes made = bson_of_json(R"({"a":{"$code":"f","$scope":{"x":1}}})").value();
  const auto field = wire::find_field(made.view(), "a");
  ASSERT_TRUE(field);
  EXPECT_EQ(field->type(), wire::bson_type::code_with_scope);
}

TEST(extended_json, keeps_order_repeated_fields_and_embedded_nuls) {
  EXPECT_EQ(of_json(R"({"b":1,"a":2,"b":3})"),
            R"({ "b" : { "$numberInt" : "1" }, "a" : { "$numberInt" : "2" }, )"
            R"("b" : { "$numberInt" : "3" } })");
  EXPECT_EQ(of_json(R"({"a":"x\u0000y"})"), R"({ "a" : "x\u0000y" })");
}

TEST(extended_json, refuses_malformed_wrappers) {
  for (const char* text : {R"({"$oid":"57e1"})",
                           R"({"$oid":"57e193d7a9cc81b4027498bx"})",
                           R"({"$oid":{}})",
                           R"({"$oid":"57e193d7a9cc81b4027498b5","b":1})",
                           R"({"$numberInt":"2147483648"})",
                           R"({"$numberInt":"1.0"})",
                           R"({"$numberInt":""})",
                           R"({"$numberLong":"x"})",
                           R"({"$numberDouble":"inf"})",
                           R"({"$numberDouble":"1x"})",
                           R"({"$numberDecimal":"x"})",
                           R"({"$binary":{"base64":"A","subType":"00"}})",
                           R"({"$binary":{"base64":"A===","subType":"00"}})",
                           R"({"$binary":{"base64":"AQID","subType":"100"}})",
                           R"({"$binary":{"base64":"AQID"}})",
                           R"({"$binary":"AQID"})",
                           R"({"$uuid":"73ffd26444b34c6990e8e7d1dfc035d4"})",
                           R"({"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035dx"})",
                           R"({"$date":"yesterday"})",
                           R"({"$date":"2023-02-29T00:00:00Z"})",
                           R"({"$date":"2023-01-01T00:00:00"})",
                           R"({"$date":"2023-01-01T24:00:00Z"})",
                           R"({"$date":{}})",
                           R"({"$timestamp":{"t":-1,"i":0}})",
                           R"({"$timestamp":{"t":1}})",
                           R"({"$regularExpression":{"pattern":"x"}})",
                           R"({"$regularExpression":{"pattern":"x\u0000","options":""}})",
                           R"({"$dbPointer":{"$ref":"c","$id":5}})",
                           R"({"$code":{}})",
                           R"({"$code":"f","$scope":5})",
                           R"({"$code":"f","b":5})",
                           R"({"$scope":{}})",
                           R"({"$minKey":2})",
                           R"({"$maxKey":{}})",
                           R"({"$undefined":false})"}) {
    EXPECT_TRUE(of_json(std::string{"{\"a\":"} + text + "}").starts_with("error: malformed $"))
        << text << of_json(std::string{"{\"a\":"} + text + "}");
  }
}

TEST(extended_json, refuses_what_no_document_can_hold) {
  for (const char* text : {"5", "\"x\"", "null", R"({"a\u0000b":1})", R"({"a":1e400})"}) {
    EXPECT_TRUE(of_json(text).starts_with("error: ")) << text;
  }
}

TEST(extended_json, refuses_documents_larger_than_mongodb_has_them) {
  EXPECT_EQ(of_json(R"({"a":")" + std::string(17 << 20, 'x') + R"("})"),
            "error: larger than 16 MiB, the limit for a document");
  EXPECT_TRUE(bson_of_json(R"({"a":")" + std::string(15 << 20, 'x') + R"("})"));
}

TEST(extended_json, reads_yaml_in_flow_style) {
  const json_case rows[] = {
      {"{project_id: 1, _id: hashed}",
       R"({ "project_id" : { "$numberInt" : "1" }, "_id" : "hashed" })"},
      {"{a: {$minKey: 1}}", R"({ "a" : { "$minKey" : 1 } })"},
      {"{a: {$oid: 012345678901234567890123}}",
       R"({ "a" : { "$oid" : "012345678901234567890123" } })"},
      {"{a: {$numberLong: 5}}", R"({ "a" : { "$numberLong" : "5" } })"},
      {"{a: {$date: 1970-01-01T00:00:01Z}}",
       R"({ "a" : { "$date" : { "$numberLong" : "1000" } } })"},
      {"{a: '5', b: \"true\", c: true, d: ~, e: , f: 'null'}",
       R"({ "a" : "5", "b" : "true", "c" : true, "d" : null, "e" : null, "f" : "null" })"},
      {"{a: yes, b: 1.2.3, c: 2024-01-31, d: '', e: -}",
       R"({ "a" : "yes", "b" : "1.2.3", "c" : "2024-01-31", "d" : "", "e" : "-" })"},
      {"{\"1\": -0.5, true: 1e3}",
       R"({ "1" : { "$numberDouble" : "-0.5" }, "true" : { "$numberDouble" : "1000.0" } })"},
  };
  for (const json_case& one : rows) EXPECT_EQ(of_yaml(one.text), one.value) << one.text;
}

TEST(extended_json, refuses_numbers_that_yaml_and_json_read_differently) {
  for (const char* text :
       {"007", "+1", ".5", "1.", "-.5", "0x10", "0o7", ".inf", "-.inf", ".nan"}) {
    const std::string made = of_yaml("{a: " + std::string{text} + "}");
    EXPECT_NE(made.find("is a number in YAML but not in JSON"), made.npos)
        << text << " " << made;
  }
}

TEST(extended_json, names_the_line_of_what_it_refuses) {
  const text_tree parsed = parse_yaml("{a: 1,\n b: {$oid: x}}").value();
  const auto made = bson_of(parsed.root());
  EXPECT_EQ(made.error().line, 2U);
  EXPECT_EQ(made.error().what, "malformed $oid: expected 24 hexadecimal digits");
}

}  // namespace
}  // namespace scattergate::config
