#include "text/json_writer.hpp"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::text {
namespace {

template <typename Write>
std::string written_by(Write write) {
  std::string text;
  json_writer json{text};
  write(json);
  return text;
}

TEST(json_writer, puts_commas_between_members_and_items_at_every_depth) {
  const std::string text = written_by([](json_writer& to) {
    to.object();
    to.array("none");
    to.end();
    to.object("empty");
    to.end();
    to.array("rows");
    to.object();
    to.number("a", 1);
    to.array("b");
    to.number(2U);
    to.array();
    to.end();
    to.text("c");
    to.end();
    to.end();
    to.null();
    to.flag(true);
    to.end();
    to.flag("last", false);
    to.end();
  });
  EXPECT_EQ(text,
            R"({"none":[],"empty":{},"rows":[{"a":1,"b":[2,[],"c"]},null,true],"last":false})");
}

TEST(json_writer, writes_each_kind_of_value) {
  const std::vector<std::string> texts{"a", "\n"};
  const std::string text = written_by([&](json_writer& to) {
    to.object();
    to.text("quote\"", "\x01");
    to.text_or_null("t", "");
    to.raw("r", "[1]");
    to.raw_or_null("rn", "");
    to.texts("ts", texts);
    to.number("most", std::numeric_limits<std::uint64_t>::max());
    to.number("least", std::numeric_limits<std::int64_t>::min());
    to.number_or_null("nn", std::optional<std::uint32_t>{});
    to.number_or_null("n", std::optional<std::uint32_t>{7});
    to.decimal("d", 2.0 / 3, 3);
    to.decimal("huge", std::numeric_limits<double>::max(), 0);
    to.time("t0", std::chrono::system_clock::time_point{});
    to.time_or_null("tn", std::nullopt);
    to.name("named");
    to.array();
    to.end();
    to.end();
  });
  EXPECT_EQ(
      text.substr(0, text.find(R"("huge":)")),
      R"({"quote\"":"\u0001","t":null,"r":[1],"rn":null,"ts":["a","\n"],)"
      R"("most":18446744073709551615,"least":-9223372036854775808,"nn":null,"n":7,"d":0.667,)");
  EXPECT_EQ(text.substr(text.find(R"("t0":)")),
            R"("t0":"1970-01-01T00:00:00.000Z","tn":null,"named":[]})");
  EXPECT_EQ(text.find(','), text.find(R"(,"t":)"));
}

TEST(json_writer, goes_on_where_the_text_was_taken_away) {
  std::string text;
  std::string all;
  json_writer to{text};
  to.array();
  for (int i = 0; i < 3; ++i) {
    to.number(i);
    all += text;
    text.clear();
  }
  to.end();
  EXPECT_EQ(all + text, "[0,1,2]");
}

TEST(json_writer, begins_behind_what_stands_there) {
  std::string text = "data: ";
  json_writer to{text};
  to.object();
  to.end();
  text += '\n';
  json_writer next{text};
  next.object();
  next.end();
  EXPECT_EQ(text, "data: {}\n{}");
}

TEST(json_writer, nests_64_deep) {
  std::string text;
  json_writer to{text};
  std::string closing;
  for (int i = 0; i < 64; ++i) {
    i % 3 == 0 ? to.array() : to.object("x");  // its names don't matter here
    closing.insert(0, i % 3 == 0 ? "]" : "}");
  }
  for (int i = 0; i < 64; ++i) to.end();
  EXPECT_TRUE(text.ends_with(closing));
}

TEST(json_writer, appends_to_the_text_alone) {
  std::string text;
  text.reserve(1000);
  const char* const where = text.data();
  json_writer to{text};
  to.array();
  for (int i = 0; i < 100; ++i) to.number(i);
  to.decimal(1.5, 3);
  to.text("a text that is longer than what a string holds inside");
  to.end();
  EXPECT_EQ(text.data(), where);
}

}  // namespace
}  // namespace scattergate::text
