#include "proxy/judging/comment.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::proxy {
namespace {

std::string comment(std::string_view json) {
  const tests::json_document document{json};
  comment_text text;
  return std::string{text.read(wire::command_of(document.view()).value())};
}

std::string comment_of_text(std::string_view text) {
  wire::bson_writer writer;
  writer.text("find", "c");
  writer.text("comment", text);
  const auto document = writer.take();
  comment_text comment;
  return std::string{
      comment.read(wire::command_of(wire::document_view::from(document).value()).value())};
}

constexpr std::string_view trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// `form` with the traceparent in the place of each "%".
std::string with_trace(std::string_view form) {
  std::string text;
  for (const char c : form) c == '%' ? text.append(trace) : text.append(1, c);
  return text;
}

TEST(comment_text, gives_text_as_it_is_and_names_anything_else) {
  EXPECT_EQ(comment(R"({"find":"c","comment":"checkout.cpp:7"})"), "checkout.cpp:7");
  EXPECT_EQ(comment(R"({"find":"c","comment":{"a":1}})"), "?object");
  EXPECT_EQ(comment(R"({"find":"c","comment":7})"), "?value");
  EXPECT_EQ(comment(R"({"find":"c"})"), "");
  EXPECT_EQ(comment(R"({"find":"c","comment":")" + std::string(300, 'x') + R"("})").size(),
            256U);
}

TEST(comment_text, leaves_a_trace_context_out_of_text) {
  struct {
    std::string_view form;
    std::string_view rest;
  } const cases[] = {
      {"%", ""},
      {"'%'", ""},
      {"traceparent=%", ""},
      {"traceparent='%'", ""},
      {"/*traceparent='%'*/", ""},
      {R"({"traceparent": "%"})", ""},
      {"checkout.cpp:7 %", "checkout.cpp:7"},
      {"% checkout.cpp:7", "checkout.cpp:7"},
      {"checkout.cpp:7,traceparent='%'", "checkout.cpp:7"},
      {"traceparent='%',checkout.cpp:7", "checkout.cpp:7"},
      {"/*controller='a',traceparent='%',tracestate='congo%3Dt61,rojo=1',route='b'*/",
       "/*controller='a',route='b'*/"},
      {"/*tracestate='rojo=1',traceparent='%',route='b'*/", "/*route='b'*/"},
      {R"({"traceparent":"%","tracestate":"a=1","text":"why"})", R"({"text":"why"})"},
      // Datadog's tracers, with a comment of the application's and without
      {"dddb='shop',dddbs='orders',dde='prod',ddps='web',ddpv='1.2',traceparent='%'",
       "dddb='shop',dddbs='orders',dde='prod',ddps='web',ddpv='1.2'"},
      {"mine,dddbs='orders',ddps='web',traceparent='%'", "mine,dddbs='orders',ddps='web'"},
      {"a % b % c", "a b c"},
      {"a traceparent = '%'; b", "a; b"},
      {"%-more a", "a"},  // of a later version
  };
  for (const auto& [form, rest] : cases) {
    EXPECT_EQ(comment_of_text(with_trace(form)), rest) << form;
  }
}

TEST(comment_text, leaves_other_text_alone) {
  for (const std::string& text :
       {with_trace("x%"), with_trace("%0"), std::string{trace.substr(1)},
        std::string{"00-zbf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
        std::string{"tracestate='a=1'"}, std::string{"a-b-c - traceparent=none"},
        std::string{"--"}, std::string{"-"}, std::string{"a,, b"}}) {
    EXPECT_EQ(comment_of_text(text), text);
  }
}

TEST(traceparent_in_comment, is_the_first_of_a_string_and_the_named_one_of_a_document) {
  const auto found = [](std::string_view comment) {
    const tests::json_document body{R"({"find":"c","comment":)" + std::string{comment} + "}"};
    return std::string{traceparent_in_comment(body.view())};
  };
  const std::string one = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(found('"' + one + '"'), one);
  EXPECT_EQ(found("\"dddbs='orders',traceparent='" + one + "',ddps='web'\""), one);
  EXPECT_EQ(found(R"({"text":"why","traceparent":")" + one + "\"}"), one);
  EXPECT_EQ(found(R"("checkout.cpp:7")"), "");
  EXPECT_EQ(found(R"({"text":")" + one + "\"}"), "") << "not by that name";
  EXPECT_EQ(found(R"("00-00000000000000000000000000000000-b7ad6b7169203331-01")"), "");
  EXPECT_EQ(found("7"), "");
}

TEST(comment_text, gives_the_text_that_stands_next_to_a_trace_context) {
  const std::string head =
      R"({"find":"c","comment":{"traceparent":")" + std::string{trace} + '"';
  EXPECT_EQ(comment(head + R"(,"text":"checkout.cpp:7"}})"), "checkout.cpp:7");
  EXPECT_EQ(comment(head + R"(,"tracestate":"a=1","text":"why"}})"), "why");
  EXPECT_EQ(comment(head + "}}"), "");
  EXPECT_EQ(comment(head + R"(,"text":7}})"), "");
  EXPECT_EQ(comment(R"({"find":"c","comment":{"text":"a value"}})"), "?object");
}

TEST(comment_text, is_one_comment_for_all_commands_of_a_trace_wherever_it_is_cut) {
  for (std::size_t before = 0; before < 300; ++before) {
    std::string text(before, 'a');
    text += ',';
    std::string other = text;
    text += trace;
    other += "00-00000000000000000000000000000001-0000000000000002-00";
    text += " \xc3\xa9" + std::string(1000, 'b');
    other += " \xc3\xa9" + std::string(1000, 'b');
    EXPECT_EQ(comment_of_text(text), comment_of_text(other)) << before;
    EXPECT_LE(comment_of_text(text).size(), wire::limits::max_comment_bytes);
  }
}

}  // namespace
}  // namespace scattergate::proxy
