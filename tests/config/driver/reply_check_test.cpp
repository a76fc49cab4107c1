#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/driver/cursor_reader.hpp"
#include "config/text/extended_json.hpp"
#include "tests/support/problem_in.hpp"
#include "wire/endian.hpp"

namespace scattergate::config {
namespace {

using bytes = std::vector<std::byte>;

bytes document(const std::string& json) {
  return bson_of_json(json).value().bytes;
}

std::string why(const bytes& reply) {
  return tests::problem_in(check_reply(reply));
}

constexpr const char* broken = "a part of it is malformed, or nested too deeply";

TEST(reply_check, takes_a_sound_document) {
  EXPECT_EQ(why(document(R"({"ok": 1, "a": [{"b": {}}, 5], "s": "x"})")), "");
  EXPECT_EQ(why(document(R"json({"c": {"$code": "f()", "$scope": {"x": {"y": 1}}}})json")), "");
}

TEST(reply_check, refuses_what_is_no_document) {
  bytes cut = document(R"({"ok": 1})");
  cut.pop_back();
  EXPECT_EQ(why(cut), "it isn't a document");
  EXPECT_EQ(why({}), "it isn't a document");
}

TEST(reply_check, refuses_documents_that_are_broken_inside) {
  const bytes whole = document(R"({"a": {"b": [1, {"c": "x"}]}})");
  bytes ends_wrong = whole;
  ends_wrong[whole.size() - 2] = std::byte{1};  // the NUL of the document `a`
  EXPECT_EQ(why(ends_wrong), broken);
  bytes odd_type = whole;
  odd_type[4] = std::byte{0x7e};
  EXPECT_EQ(why(odd_type), broken);
}

TEST(reply_check, reads_as_deep_as_servers_do_and_no_deeper) {
  const auto nested = [](int levels) {
    bytes made = document(R"({"x": 1})");
    for (int i = 0; i < levels; ++i) {
      bytes outer(7);
      wire::store_little(outer.data(), static_cast<std::int32_t>(made.size() + 8));
      outer[4] = std::byte{3};
      outer[5] = std::byte{'a'};
      outer.insert(outer.end(), made.begin(), made.end());
      outer.push_back(std::byte{0});
      made = std::move(outer);
    }
    return made;
  };
  EXPECT_EQ(why(nested(150)), "");
  EXPECT_EQ(why(nested(20'000)), broken);
}

}  // namespace
}  // namespace scattergate::config
