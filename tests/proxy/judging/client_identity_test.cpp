#include "proxy/judging/client_identity.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/proxy/authentication_messages.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::proxy {
namespace {

using claim_ptr = std::unique_ptr<identity_claim>;

claim_ptr ask(client_identity& client, std::string_view json, bool awaits_reply = true) {
  const tests::json_document document{json};
  auto command = wire::command_of(document.view()).value();
  command.more_to_come = !awaits_reply;
  return client.claim(command, routing::kind_of(command.name));
}

void answer(client_identity& client, claim_ptr claim, wire::reply_facts facts = {}) {
  facts.readable = true;
  if (claim) client.settle(*claim, &facts);
}

constexpr wire::reply_facts good{.ok = true};
constexpr wire::reply_facts refused{};

constexpr wire::reply_facts begun(std::int32_t conversation) {
  return {.conversation = conversation, .ok = true};
}
constexpr wire::reply_facts done(std::int32_t conversation) {
  return {.conversation = conversation, .ok = true, .sasl_done = true};
}
constexpr wire::reply_facts speculative(std::int32_t conversation, bool is_done = false) {
  return {
      .conversation = conversation, .ok = true, .sasl_done = is_done, .is_speculative = true};
}

class client_identity_test : public testing::Test {
 protected:
  /// A command and the reply to it, one after the other.
  void talk(std::string_view json, const wire::reply_facts& reply) {
    answer(client, ask(client, json), reply);
  }
  void log_in(std::string_view user, std::string_view database = "admin") {
    talk(scram_start(user, database), begun(1));
    talk(sasl_continue(1, database), done(1));
  }

  client_identity client{"10.1.2.3"};
};

TEST_F(client_identity_test, learns_application_and_driver_from_the_hello_that_mongos_took) {
  auto hello = ask(client, hello_of("shop"));
  EXPECT_EQ(client.app(), "");
  answer(client, std::move(hello), good);
  const auto caller = client.as_caller("here");
  EXPECT_EQ(caller.app_name, "shop");
  EXPECT_EQ(caller.driver, "PyMongo 4.10.1");
  EXPECT_EQ(caller.remote, "10.1.2.3");
  EXPECT_EQ(caller.comment, "here");
  EXPECT_EQ(caller.user, "");
}

TEST_F(client_identity_test, survives_a_hello_whose_metadata_is_nonsense) {
  for (const auto* json : {R"({"hello":1})", R"({"hello":1,"client":3})",
                           R"({"hello":1,"client":{"application":"x","driver":[1]}})",
                           R"({"hello":1,"client":{"application":{"name":7}}})",
                           R"({"hello":1,"speculativeAuthenticate":{}})",
                           R"({"hello":1,"speculativeAuthenticate":7})"}) {
    client_identity stranger{"::1"};
    answer(stranger, ask(stranger, json), speculative(1, true));
    EXPECT_EQ(stranger.app(), "") << json;
    EXPECT_EQ(stranger.user(), "") << json;
  }
}

TEST_F(client_identity_test, keeps_to_the_first_hello_that_mongos_took) {
  talk(hello_of("refused"), refused);
  auto first = ask(client, hello_of("first"));
  auto second = ask(client, hello_of("second"));  // pipelined
  answer(client, std::move(first), good);
  answer(client, std::move(second), good);
  talk(hello_of("third"), good);
  EXPECT_EQ(client.app(), "first");
}

TEST_F(client_identity_test, has_no_name_where_the_first_hello_gave_none) {
  talk(hello_of(""), good);
  talk(hello_of("late"), good);
  EXPECT_EQ(client.app(), "");
}

TEST_F(client_identity_test, believes_a_user_only_once_the_exchange_succeeded) {
  talk(scram_start("ada=2Cb=3D"), begun(1));
  EXPECT_TRUE(client.is_stranger());
  auto last = ask(client, sasl_continue(1));
  EXPECT_EQ(client.user(), "");
  answer(client, std::move(last), done(1));
  EXPECT_EQ(client.user(), "ada,b=");
  EXPECT_FALSE(client.may_be_any_user());
  EXPECT_FALSE(client.is_stranger());
}

TEST_F(client_identity_test, waits_for_the_empty_exchange_where_there_is_one) {
  talk(scram_start("ann"), begun(1));
  talk(sasl_continue(1), begun(1));
  EXPECT_EQ(client.user(), "");
  talk(sasl_continue(1), done(1));
  EXPECT_EQ(client.user(), "ann");
}

TEST_F(client_identity_test, believes_no_one_whose_exchange_failed) {
  talk(scram_start("ann"), begun(1));
  talk(sasl_continue(1), refused);
  EXPECT_EQ(client.user(), "");
  talk(sasl_continue(1),
       done(1));  // of a conversation that is over: some user, but which one is unknown
  EXPECT_EQ(client.user(), "");
  EXPECT_TRUE(client.may_be_any_user());
  EXPECT_FALSE(client.is_stranger());
}

TEST_F(client_identity_test, distinguishes_exchanges_under_way_at_once) {
  for (const int ending : {1, 2}) {
    client_identity both{"::1"};
    auto bob = ask(both, scram_start("bob"));
    auto ann = ask(both, scram_start("ann"));
    answer(both, std::move(bob), begun(1));
    answer(both, std::move(ann), begun(2));
    answer(both, ask(both, sasl_continue(ending)), done(ending));
    EXPECT_EQ(both.user(), ending == 1 ? "bob" : "ann");
  }
}

TEST_F(client_identity_test, lets_a_later_start_take_a_conversation_over) {
  talk(scram_start("ann"), begun(1));
  talk(scram_start("bob"), begun(1));
  talk(sasl_continue(1), done(1));
  EXPECT_EQ(client.user(), "bob");
}

TEST_F(client_identity_test, keeps_a_conversation_where_a_later_start_is_refused) {
  talk(scram_start("ann"), begun(1));
  talk(scram_start("root"), refused);
  talk(sasl_continue(1), done(1));
  EXPECT_EQ(client.user(), "ann");
}

TEST_F(client_identity_test, takes_no_claim_for_one_of_another_conversation) {
  talk(scram_start("root"), begun(1));
  talk(sasl_continue(2), done(2));
  EXPECT_EQ(client.user(), "");
  talk(scram_start("root"), begun(1));
  talk(sasl_continue(1), done(2));
  EXPECT_EQ(client.user(), "");
}

TEST_F(client_identity_test, learns_the_user_of_a_speculative_authentication) {
  talk(hello_of("shop", "ann"), speculative(1));
  EXPECT_EQ(client.user(), "");
  talk(sasl_continue(1), done(1));
  EXPECT_EQ(client.user(), "ann");
}

TEST_F(client_identity_test, forgets_a_speculative_claim_that_mongos_left_unanswered) {
  talk(hello_of("shop", "root"), good);
  talk(R"({"saslStart":1,"mechanism":"GSSAPI","payload":"","$db":"$external"})", begun(1));
  talk(sasl_continue(1, "$external"), done(1));
  EXPECT_EQ(client.user(), "");
  EXPECT_FALSE(client.is_stranger());
}

TEST_F(client_identity_test, learns_a_user_whose_mechanism_takes_one_step) {
  talk(plain_start("ann", "$external"), done(1));
  EXPECT_EQ(client.user(), "ann");
  client_identity other{"::1"};
  answer(other, ask(other, plain_start("ann", "$external")), refused);
  EXPECT_EQ(other.user(), "");
}

TEST_F(client_identity_test, learns_a_certificates_subject) {
  talk(R"({"authenticate":1,"mechanism":"MONGODB-X509","user":"CN=ann","$db":"$external"})",
       good);
  EXPECT_EQ(client.user(), "CN=ann");
  client_identity unnamed{"::1"};
  answer(unnamed,
         ask(unnamed, R"({"authenticate":1,"mechanism":"MONGODB-X509","$db":"$external"})"),
         good);
  EXPECT_EQ(unnamed.user(), "");
  EXPECT_FALSE(unnamed.is_stranger());
  client_identity hasty{"::1"};
  answer(hasty, ask(hasty, R"({"hello":1,"speculativeAuthenticate":{"authenticate":1,
                              "mechanism":"MONGODB-X509","user":"CN=bob"}})"),
         speculative(0));
  EXPECT_EQ(hasty.user(), "CN=bob");
  answer(hasty, ask(hasty, log_out_of("$external")), good);
  EXPECT_EQ(hasty.user(), "");
}

TEST_F(client_identity_test, stays_who_it_is_when_a_second_exchange_fails) {
  log_in("ann");
  talk(scram_start("root"), begun(1));
  talk(sasl_continue(1), refused);
  EXPECT_EQ(client.user(), "ann");
}

TEST_F(client_identity_test, is_who_was_confirmed_last) {
  log_in("ann", "admin");
  log_in("bob", "app");
  EXPECT_EQ(client.user(), "bob");
  talk(log_out_of("app"), good);
  EXPECT_EQ(client.user(), "ann");
  log_in("eve", "admin");
  talk(log_out_of("admin"), good);
  EXPECT_EQ(client.user(), "");
}

TEST_F(client_identity_test, logs_out_of_one_database_and_only_when_mongos_has) {
  log_in("ann", "admin");
  talk(log_out_of("app"), good);
  EXPECT_EQ(client.user(), "ann");
  talk(log_out_of("admin"), refused);
  EXPECT_EQ(client.user(), "ann");
  auto last = ask(client, log_out_of("admin"));
  EXPECT_EQ(client.user(), "ann");
  answer(client, std::move(last), good);
  EXPECT_EQ(client.user(), "");
  log_in("ann", "admin");
  EXPECT_FALSE(ask(client, log_out_of("admin"), false));  // no reply will come
  EXPECT_EQ(client.user(), "");
  auto ann = ask(client, plain_start("ann"));
  EXPECT_FALSE(ask(client, log_out_of("admin"), false));  // behind it
  answer(client, std::move(ann), done(1));
  EXPECT_EQ(client.user(), "");
}

TEST_F(client_identity_test, names_no_one_after_a_start_without_a_reply) {
  talk(scram_start("root"), begun(1));
  EXPECT_FALSE(ask(client, R"({"saslStart":1,"mechanism":"MONGODB-OIDC","payload":"",
                               "$db":"$external"})",
                   false));
  talk(sasl_continue(1), done(1));
  EXPECT_EQ(client.user(), "");
  EXPECT_FALSE(client.is_stranger());
}

TEST_F(client_identity_test, names_no_one_after_a_message_that_may_have_been_a_start) {
  talk(scram_start("root"), begun(1));
  auto unread = client.claim_unread();
  answer(client, std::move(unread), begun(1));
  talk(sasl_continue(1), done(1));
  EXPECT_EQ(client.user(), "");
  log_in("ann");
  answer(client, client.claim_unread(), good);
  EXPECT_EQ(client.user(), "ann");
  answer(client, client.claim_unread(), done(1));
  EXPECT_EQ(client.user(), "");
}

TEST_F(client_identity_test, takes_an_answer_that_never_came_for_none) {
  talk(scram_start("ann"), begun(1));
  auto last = ask(client, sasl_continue(1));
  EXPECT_TRUE(client.has_pending_claims());
  client.settle(*last, nullptr);
  EXPECT_FALSE(client.has_pending_claims());
  auto again = ask(client, sasl_continue(1));
  const wire::reply_facts unreadable{.ok = true, .sasl_done = true};
  client.settle(*again, &unreadable);
  EXPECT_EQ(client.user(), "");
}

TEST_F(client_identity_test, has_no_user_any_more_where_messages_passed_without_a_look) {
  log_in("ann");
  auto last = ask(client, sasl_continue(1));
  client.make_unknown();
  EXPECT_EQ(client.user(), "");
  answer(client, std::move(last), done(1));
  log_in("ann");
  EXPECT_EQ(client.user(), "");
  EXPECT_FALSE(client.has_pending_claims());
}

TEST_F(client_identity_test, is_bounded_whatever_is_begun) {
  std::vector<claim_ptr> claims;
  for (std::size_t i = 0; i < 1000; ++i) {
    claims.push_back(ask(client, scram_start("u" + std::to_string(i))));
    EXPECT_EQ(claims.back()->who.name.empty(), i >= client_identity::max_claims);
  }
  std::int32_t id = 0;
  for (auto& each : claims) answer(client, std::move(each), begun(++id));
  EXPECT_FALSE(client.has_pending_claims());
  constexpr auto last_named = static_cast<std::int32_t>(client_identity::max_claims);
  talk(sasl_continue(last_named), done(last_named));
  EXPECT_EQ(client.user(), "");  // too many were begun since
  for (int i = 0; i < 100; ++i) log_in("u", "db" + std::to_string(i));
  for (int i = 0; i < 100; ++i) talk(log_out_of("db" + std::to_string(99 - i)), good);
  EXPECT_EQ(client.user(), "");
}

TEST_F(client_identity_test, cuts_names_without_splitting_a_character) {
  talk(hello_of(std::string(127, 'a') + "\xc3\xa9"), good);
  EXPECT_EQ(client.app(), std::string(127, 'a'));
}

}  // namespace
}  // namespace scattergate::proxy
