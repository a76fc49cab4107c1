#include "proxy/client_identity.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"

namespace scattergate::proxy {
namespace {

void learn_hello(client_identity& client, std::string_view json) {
  const tests::json_document document{json};
  client.learn_hello(wire::command_of(document.view()).value());
}

/// {"$binary"} of "n,,n=ada=2Cb=3D,r=abc".
constexpr std::string_view start_as_ada =
    R"({"saslStart":1,"mechanism":"SCRAM-SHA-256",
        "payload":{"$binary":{"base64":"biwsbj1hZGE9MkNiPTNELHI9YWJj","subType":"00"}}})";

TEST(client_identity, learns_application_and_driver_from_hello) {
  client_identity client{"10.1.2.3"};
  learn_hello(client, R"({"hello":1,"client":{"application":{"name":"shop"},
                          "driver":{"name":"PyMongo","version":"4.10.1"}}})");
  const auto caller = client.as_caller("here");
  EXPECT_EQ(caller.app_name, "shop");
  EXPECT_EQ(caller.driver, "PyMongo 4.10.1");
  EXPECT_EQ(caller.remote, "10.1.2.3");
  EXPECT_EQ(caller.comment, "here");
  EXPECT_EQ(caller.user, "");
}

TEST(client_identity, survives_a_hello_whose_metadata_is_nonsense) {
  for (const auto* json : {R"({"hello":1})", R"({"hello":1,"client":3})",
                           R"({"hello":1,"client":{"application":"x","driver":[1]}})",
                           R"({"hello":1,"client":{"application":{"name":7}}})"}) {
    client_identity client{"::1"};
    learn_hello(client, json);
    EXPECT_EQ(client.app(), "") << json;
  }
}

TEST(client_identity, believes_a_user_only_once_the_exchange_succeeded) {
  client_identity client{"::1"};
  const tests::json_document start{start_as_ada};
  client.learn_sasl_start(start.view());
  EXPECT_EQ(client.user(), "");
  EXPECT_FALSE(client.has_authenticated());
  client.sasl_succeeded();
  EXPECT_TRUE(client.has_authenticated());
  EXPECT_EQ(client.user(), "ada,b=");
  client.logged_out();
  EXPECT_EQ(client.user(), "");
}

TEST(client_identity, learns_the_user_of_a_speculative_authentication) {
  client_identity client{"::1"};
  learn_hello(client,
              R"({"hello":1,"speculativeAuthenticate":)" + std::string{start_as_ada} + "}");
  client.sasl_succeeded();
  EXPECT_EQ(client.user(), "ada,b=");
}

TEST(client_identity, takes_no_user_from_other_mechanisms_or_broken_payloads) {
  for (const auto* json :
       {R"({"saslStart":1,"mechanism":"PLAIN","payload":"n,,n=eve,r=x"})",
        R"({"saslStart":1,"mechanism":"SCRAM-SHA-1","payload":"y,,n=eve,r=x"})",
        R"({"saslStart":1,"mechanism":"SCRAM-SHA-1","payload":7})",
        R"({"saslStart":1,"mechanism":"SCRAM-SHA-1"})"}) {
    client_identity client{"::1"};
    const tests::json_document start{json};
    client.learn_sasl_start(start.view());
    client.sasl_succeeded();
    EXPECT_EQ(client.user(), "") << json;
  }
}

TEST(client_identity, cuts_names_without_splitting_a_character) {
  client_identity client{"::1"};
  learn_hello(client, R"({"hello":1,"client":{"application":{"name":")" +
                          std::string(127, 'a') + "\xc3\xa9" + R"("}}})");
  EXPECT_EQ(client.app(), std::string(127, 'a'));
}

TEST(comment_of, gives_text_as_it_is_and_names_anything_else) {
  const auto comment = [](std::string_view json) {
    const tests::json_document document{json};
    return std::string{comment_of(wire::command_of(document.view()).value())};
  };
  EXPECT_EQ(comment(R"({"find":"c","comment":"checkout.cpp:7"})"), "checkout.cpp:7");
  EXPECT_EQ(comment(R"({"find":"c","comment":{"a":1}})"), "?object");
  EXPECT_EQ(comment(R"({"find":"c","comment":7})"), "?value");
  EXPECT_EQ(comment(R"({"find":"c"})"), "");
  EXPECT_EQ(comment(R"({"find":"c","comment":")" + std::string(300, 'x') + R"("})").size(),
            256U);
}

}  // namespace
}  // namespace scattergate::proxy
