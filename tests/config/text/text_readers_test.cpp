#include "config/text/text_readers.hpp"

#include <string>

#include <gtest/gtest.h>

namespace scattergate::config {
namespace {

// A tree in one line: lists in [], maps in {}, scalars with their line, quoted ones in quotes.
std::string describe(const text_tree::node& value) {
  if (value.is_scalar()) {
    const std::string text{value.text()};
    return (value.is_plain() ? text : "'" + text + "'") + "@" + std::to_string(value.line());
  }
  std::string text = value.is_list() ? "[" : "{";
  for (const text_tree::node& child : value) text += " " + describe(child);
  return text + (value.is_list() ? " ]" : " }");
}

std::string yaml(const std::string& text) {
  const auto parsed = parse_yaml(text);
  if (!parsed) return std::to_string(parsed.error().line) + ": " + parsed.error().what;
  return parsed->is_empty() ? "nothing" : describe(parsed->root());
}

std::string json(const std::string& text) {
  const auto parsed = parse_json(text);
  return parsed ? describe(parsed->root()) : "error";
}

TEST(yaml, becomes_a_tree_with_lines) {
  EXPECT_EQ(yaml("a: 1\nb:\n  - x\n  - 'y'\n"), "{ a@1 1@1 b@2 [ x@3 'y'@4 ] }");
  EXPECT_EQ(yaml("{a: {b: []}, c: {}}"), "{ a@1 { b@1 [ ] } c@1 { } }");
  EXPECT_EQ(yaml("a:\nb: ~\n"), "{ a@1 @2 b@2 @2 }");
  EXPECT_EQ(yaml("plain"), "plain@1");
  EXPECT_EQ(yaml(""), "nothing");
  EXPECT_EQ(yaml("# a comment\n"), "nothing");
  EXPECT_EQ(yaml("a: |\n  two\n  lines\n"), "{ a@1 'two\nlines\n'@1 }");
}

TEST(yaml, knows_what_is_nothing) {
  const text_tree parsed = parse_yaml("[~, null, '~', '', x, ]").value();
  std::string found;
  for (const text_tree::node& one : parsed.root()) found += one.is_null() ? "n" : "-";
  EXPECT_EQ(found, "nn---");
}

TEST(yaml, is_refused_with_its_line) {
  struct row {
    const char* what;
    std::string text;
    const char* starts;
  };
  const row rows[] = {
      {"an alias", "a: &x 1\nb: *x\n", "1: anchors"},
      {"an unknown alias", "a: 1\nb: *x\n", "2: "},
      {"a billion laughs", "a: &a [x, x]\nb: &b [*a, *a]\n", "1: anchors"},
      {"a tag", "a: 1\nb: !!int 5\n", "2: tags"},
      {"a local tag", "a: !x {}\n", "1: tags"},
      {"an open list", "a: [1, 2\nb: 3\n", "2: "},
      {"a tab", "a:\n\tb: 1\n", "2: "},
      {"two documents", "a: 1\n---\nb: 2\n", "2: more than one document"},
      {"a NUL", std::string("a: 1\nb: \0", 9), "2: a control character"},
      {"yaml-cpp's end of file", "a: 1\nb: 2\x04\nc: 3\n", "2: a control character"},
      {"an escape", "a: \x1b[0m\n", "1: a control character"},
      {"bytes that aren't UTF-8", "a: \xff\n", "1: not UTF-8"},
      {"UTF-16", std::string("\xff\xfe:\0", 4), "1: "},
      {"depth in flow", "a:\n  " + std::string(5'000, '['), "2: nested too deeply"},
      {"depth in blocks",
       [] {
         std::string text;
         for (int i = 0; i < 5'000; ++i) text += "- ";
         return text + "x";
       }(),
       "1: nested too deeply"},
  };
  for (const row& one : rows) {
    EXPECT_TRUE(yaml(one.text).starts_with(one.starts)) << one.what << ": " << yaml(one.text);
  }
}

TEST(json, becomes_a_tree_with_its_numbers_as_written) {
  EXPECT_EQ(json(R"({"a":[1,2.50,-3e7,true,null,"x\n\u00e9"],"b":{}})"),
            "{ 'a'@1 [ 1@1 2.50@1 -3e7@1 true@1 null@1 'x\n\u00e9'@1 ] 'b'@1 { } }");
  EXPECT_EQ(json(R"({"a":18446744073709551616,"a":1})"),
            "{ 'a'@1 18446744073709551616@1 'a'@1 1@1 }");
  EXPECT_EQ(json(" [ ] "), "[ ]");
}

TEST(json, is_refused_where_it_is_none) {
  for (const std::string text :
       {"", " ", "{", "{\"a\":1", "{\"a\":1}}", "{\"a\":1} x", "{a:1}", "{'a':1}", "[1,]",
        "{\"a\":01}", "{\"a\":NaN}", "{\"a\":+1}", "{\"a\":.5}", "\"\xff\"", "\"\\ud800\"",
        "{\"a\":\"\n\"}", "// x\n1"}) {
    EXPECT_EQ(json(text), "error") << text;
  }
}

TEST(json, is_refused_where_it_nests_without_end) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_NE(json(nested(max_json_depth)), "error");
  EXPECT_EQ(json(nested(max_json_depth + 1)), "error");
  EXPECT_EQ(json(std::string(10'000'000, '[')), "error");
}

}  // namespace
}  // namespace scattergate::config
