#include "proxy/comment.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"

namespace scattergate::proxy {
namespace {

std::string comment(std::string_view json) {
  const tests::json_document document{json};
  return std::string{comment_of(wire::command_of(document.view()).value())};
}

TEST(comment_of, gives_text_as_it_is_and_names_anything_else) {
  EXPECT_EQ(comment(R"({"find":"c","comment":"checkout.cpp:7"})"), "checkout.cpp:7");
  EXPECT_EQ(comment(R"({"find":"c","comment":{"a":1}})"), "?object");
  EXPECT_EQ(comment(R"({"find":"c","comment":7})"), "?value");
  EXPECT_EQ(comment(R"({"find":"c"})"), "");
  EXPECT_EQ(comment(R"({"find":"c","comment":")" + std::string(300, 'x') + R"("})").size(),
            256U);
}

}  // namespace
}  // namespace scattergate::proxy
