#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "text/json_writer.hpp"

namespace scattergate::text {
namespace {

std::string written(std::string_view text) {
  std::string to;
  append_json_string(to, text);
  return to;
}

TEST(json_text, escapes_what_json_must_have_escaped) {
  EXPECT_EQ(written(""), R"("")");
  EXPECT_EQ(written("plain"), R"("plain")");
  EXPECT_EQ(written("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(written("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(written(std::string_view{"\0\x1f\x7f", 3}), R"("\u0000\u001f\u007f")");
}

/// Invisible characters and their escapes; then their visible neighbours.
constexpr std::pair<const char*, const char*> invisible_characters[] = {
    {"\x7f", "\\u007f"},         {"\xC2\x80", "\\u0080"},     {"\xC2\x9F", "\\u009f"},
    {"\xD8\x9C", "\\u061c"},     {"\xE2\x80\x8E", "\\u200e"}, {"\xE2\x80\x8F", "\\u200f"},
    {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}, {"\xE2\x80\xAA", "\\u202a"},
    {"\xE2\x80\xAE", "\\u202e"}, {"\xE2\x81\xA6", "\\u2066"}, {"\xE2\x81\xA9", "\\u2069"}};
constexpr const char* seen_characters[] = {"\xC2\xA0",     "\xD8\x9B",     "\xD8\x9D",
                                           "\xE2\x80\x8D", "\xE2\x80\x90", "\xE2\x80\xA7",
                                           "\xE2\x80\xAF", "\xE2\x81\xA5", "\xE2\x81\xAA",
                                           "\xE2\x82\xA6", "\xC3\x80",     "~"};

TEST(json_text, escapes_what_no_one_sees) {
  for (const auto& [character, escape] : invisible_characters) {
    EXPECT_EQ(written("a" + std::string{character} + "b"), "\"a" + std::string{escape} + "b\"");
    EXPECT_EQ(written(character), '"' + std::string{escape} + '"');
  }
  for (const std::string character : seen_characters) {
    EXPECT_EQ(written("a" + character + "b"), "\"a" + character + "b\"");
  }
}

TEST(json_text, escapes_what_no_one_sees_in_the_json_of_others) {
  for (const auto& [character, escape] : invisible_characters) {
    std::string json = "{\"a\" :\n\"" + std::string{character} + "\"}";
    escape_invisible_in_json(json);
    EXPECT_EQ(json, "{\"a\" :\n\"" + std::string{escape} + "\"}");
  }
}

TEST(json_text, keeps_valid_utf8) {
  for (const std::string text : {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF",
                                 "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF", "\xEE\x80\x80"}) {
    EXPECT_EQ(written("x" + text + "y"), "\"x" + text + "y\"");
  }
}

// Unicode, "U+FFFD Substitution of Maximal Subparts".
TEST(json_text, replaces_each_maximal_run_of_broken_utf8) {
  const std::string r = "\xEF\xBF\xBD";
  const struct {
    std::string text;
    std::string inside;
  } cases[] = {
      {"\x80", r},
      {"\xFF\xFE", r + r},
      {"a\xC3", "a" + r},
      {"\xC0\xAF", r + r},                  // overlong
      {"\xE0\x80\x80", r + r + r},          // overlong
      {"\xED\xA0\x80", r + r + r},          // a surrogate
      {"\xF4\x91\x92\x93", r + r + r + r},  // above U+10FFFF
      {"\xE2\x82"
       "A",
       r + "A"},            // cut short
      {"\xF0\x9F\x98", r},  // cut short at the end
      {"\xF0\x9F\x98\"", r + "\\\""},
      {"\xC3\xA4\x80\xC3\xA4", "\xC3\xA4" + r + "\xC3\xA4"},
  };
  for (const auto& each : cases) EXPECT_EQ(written(each.text), "\"" + each.inside + "\"");
}

}  // namespace
}  // namespace scattergate::text
