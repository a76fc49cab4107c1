#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"
#include "report/sources/json_documents.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scattergate::report {
namespace {

using testing::ElementsAre;

class documents : public testing::Test {
 protected:
  struct json_result {
    std::vector<std::string> texts;  ///< "-" for what is no document, "long"
    bool is_cut = false;
  };
  json_result json(const std::string& content) {
    input from{folder.write("input", content)};
    json_documents all{from};
    json_result found;
    while (all.next()) {
      found.texts.emplace_back(all.is_too_long()    ? "long"
                               : all.text().empty() ? "-"
                                                    : all.text());
    }
    found.is_cut = all.is_cut();
    return found;
  }
  struct bson_result {
    int documents = 0;
    bool is_corrupt = false;
  };
  bson_result bson(const std::string& content) {
    input from{folder.write("input", content)};
    bson_documents all{from};
    bson_result found;
    while (all.next()) ++found.documents;
    found.is_corrupt = all.is_corrupt();
    return found;
  }
  static std::string encoded(const std::string& json) {
    const config::bson_bytes made = config::bson_of_json(json).value();
    return {reinterpret_cast<const char*>(made.bytes.data()), made.bytes.size()};
  }

  test::temporary_folder folder;
};

TEST_F(documents, of_an_array_or_several_lines_are_json) {
  for (const char* begins :
       {"[\n  {\"a\": 1", " [{\"a\":1}]", "[]", "{\n  \"a\": 1", "{ \r\n"}) {
    EXPECT_TRUE(is_json_documents(begins)) << begins;
  }
  for (const char* begins : {"{\"a\":1}\n", "[INFO] started {", "", "x", "{}", "2026 ["}) {
    EXPECT_FALSE(is_json_documents(begins)) << begins;
  }
}

TEST_F(documents, are_cut_out_of_whatever_is_between_them) {
  EXPECT_THAT(json("[ {\"a\": {\"b\": [1]}} ,\n {\"c\":\"}\\\"{\"}]\n").texts,
              ElementsAre("{\"a\": {\"b\": [1]}}", "{\"c\":\"}\\\"{\"}"));
  EXPECT_THAT(json("{\n \"a\": 1\n}\n{\n \"b\": 2\n}").texts,
              ElementsAre("{\n \"a\": 1\n}", "{\n \"b\": 2\n}"));
  EXPECT_THAT(json("[{}\nnonsense, more\n{\"a\":1}]").texts,
              ElementsAre("{}", "-", "{\"a\":1}"));
  EXPECT_THAT(json("[1, 2]").texts, ElementsAre("-"));
  EXPECT_THAT(json("[]").texts, ElementsAre());
}

TEST_F(documents, of_json_that_end_too_early_are_cut) {
  const json_result found = json("[{\"a\":1},{\"b\":[");
  EXPECT_THAT(found.texts, ElementsAre("{\"a\":1}"));
  EXPECT_TRUE(found.is_cut);
  EXPECT_FALSE(json("[{\"a\":1}").is_cut);
}

TEST_F(documents, that_are_too_long_are_left_out_and_those_behind_them_are_not) {
  const std::string content =
      "[{\"a\":\"" + std::string(input_lines::max_line_bytes + 5, 'x') + "\"},{\"b\":1}]";
  EXPECT_THAT(json(content).texts, ElementsAre("long", "{\"b\":1}"));
}

TEST_F(documents, of_bson_are_known_by_their_first_bytes) {
  EXPECT_TRUE(is_bson(encoded(R"({"op":"query"})")));
  EXPECT_TRUE(is_bson(encoded(R"({"_id":{"$oid":"507f1f77bcf86cd799439011"}})")));
  for (const char* begins : {"{\"op\":\"query\"}", "", "[{}]", "\x1f\x8b\x08"}) {
    EXPECT_FALSE(is_bson(begins)) << begins;
  }
  EXPECT_FALSE(is_bson(std::string("\x10\0\0\0\x77op\0", 8)));
  EXPECT_FALSE(is_bson(std::string("\x10\0\0\0\x02\x01\0\0", 8)));
}

TEST_F(documents, of_bson_are_read_to_where_they_are_damaged) {
  const std::string one = encoded(R"({"op":"query"})");
  EXPECT_EQ(bson(one + one).documents, 2);
  EXPECT_FALSE(bson(one + one).is_corrupt);
  for (const std::string& spoilt :
       {one.substr(0, one.size() - 1), one.substr(0, 2), std::string(8, '\xff'),
        one.substr(0, one.size() - 1) + "x"}) {
    const bson_result found = bson(one + spoilt);
    EXPECT_EQ(found.documents, 1);
    EXPECT_TRUE(found.is_corrupt);
  }
}

}  // namespace
}  // namespace scattergate::report
