#include "config/mongosh/statement_lines.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::config {
namespace {

using statements = std::vector<std::string>;

/// The statements of a text, each with its line: "3: use shop".
statements divided(const std::string& text, bool is_prompt = false) {
  std::istringstream stream{text};
  line_reader lines{stream, 1000};
  statement_lines from{lines, is_prompt};
  statements all;
  while (from.next()) {
    all.push_back(std::to_string(from.line()) + ": " +
                  (from.is_too_long() ? "..." : from.text()));
  }
  return all;
}

struct division {
  const char* text;
  statements expected;
};

class statement_division : public testing::TestWithParam<division> {};

TEST_P(statement_division, is_by_statements) {
  EXPECT_EQ(divided(GetParam().text), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    all, statement_division,
    testing::Values(
        division{"{\"ping\": 1}\n\n{\"ping\": 2}\n", {"1: {\"ping\": 1}", "3: {\"ping\": 2}"}},
        division{"nonsense\n5\n", {"1: nonsense", "2: 5"}},
        division{"{\n  \"ping\": 1\n}\n{\"a\": 1}",
                 {"1: {\n  \"ping\": 1\n}", "4: {\"a\": 1}"}},
        division{"db.a\n  .find({\n a: 1\n})\n  .sort({b: 1})\nuse x",
                 {"1: db.a\n  .find({\n a: 1\n})\n  .sort({b: 1})", "6: use x"}},
        division{"const a =\n [1,\n2];\nb = a", {"1: const a =\n [1,\n2];", "4: b = a"}},
        division{"db.a.find({a: '}'}) // {\ndb.b.find()",
                 {"1: db.a.find({a: '}'}) // {", "2: db.b.find()"}},
        division{"db.a.find({a: /[{]\"/}).x()\n5", {"1: db.a.find({a: /[{]\"/}).x()", "2: 5"}},
        division{"/* {\n } */ db.a.find()\n5", {"1: /* {\n } */ db.a.find()", "3: 5"}},
        // An incomplete statement costs the one after it nothing.
        division{"db.a.find({a: 1\ndb.b.find()", {"1: db.a.find({a: 1", "2: db.b.find()"}},
        division{"{\"find\": {\n{\"ping\": 1}", {"1: {\"find\": {", "2: {\"ping\": 1}"}},
        division{"{\"a\": [\n{\"ping\": 1, \"$db\": \"x\"}",
                 {"1: {\"a\": [", "2: {\"ping\": 1, \"$db\": \"x\"}"}}));

TEST(statement_lines, names_a_line_that_is_too_long_and_goes_on) {
  EXPECT_EQ(divided("db.a.find({\n" + std::string(2000, 'x') + "\n5"),
            (statements{"1: db.a.find({", "2: ...", "3: 5"}));
  EXPECT_EQ(divided(std::string(900, '[') + "\n5"),
            (statements{"1: " + std::string(900, '['), "2: 5"}));
}

TEST(statement_lines, at_a_prompt_a_complete_line_is_a_statement) {
  std::istringstream stream{"db.a.find()\n.sort({})"};
  line_reader lines{stream, 1000};
  statement_lines from{lines, true};
  ASSERT_TRUE(from.next());
  EXPECT_EQ(from.text(), "db.a.find()");
  EXPECT_TRUE(from.is_shell());
  EXPECT_EQ(stream.peek(), '.');  // unread
}

}  // namespace
}  // namespace scattergate::config
