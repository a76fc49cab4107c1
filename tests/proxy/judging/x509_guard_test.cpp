#include "proxy/judging/x509_guard.hpp"

#include <cstring>

#include "tests/proxy/fixture.hpp"
#include "wire/compressed.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;

bytes document(std::string_view json) {
  const tests::json_document made{json};
  const auto view = made.view().bytes();
  return {view.begin(), view.end()};
}

template <typename Number>
bytes number(Number value) {
  bytes made;
  append(made, &value, sizeof value);
  return made;
}

bytes text(std::string_view value) {
  bytes made;
  append(made, value.data(), value.size());
  made.push_back(std::byte{0});
  return made;
}

bytes message(wire::opcode op, const bytes& content) {
  bytes made = bytes(wire::limits::header_bytes) + content;
  wire::serialize_header({static_cast<std::int32_t>(made.size()), 1, 0, op},
                         std::span<std::byte, wire::limits::header_bytes>{
                             made.data(), wire::limits::header_bytes});
  return made;
}

bytes query(std::string_view json, std::string_view collection = "admin.$cmd") {
  return message(wire::opcode::query, number(std::uint32_t{0}) + text(collection) +
                                          number(std::int32_t{0}) + number(std::int32_t{-1}) +
                                          document(json));
}

bytes section(int kind, const bytes& content) {
  return bytes{static_cast<std::byte>(kind)} + content;
}

/// An OP_MSG with these sections before its body.
bytes behind(const bytes& sections, std::string_view json) {
  return message(wire::opcode::msg,
                 number(std::uint32_t{0}) + sections + section(0, document(json)));
}

/// An OP_MSG with a document sequence before its body.
bytes sequence_first(std::string_view json) {
  const bytes content = text("documents") + document(R"({"_id":1})");
  return behind(section(1, number(static_cast<std::uint32_t>(content.size() + 4)) + content),
                json);
}

/// Sections of which every version of mongos that takes them knows the end.
std::vector<bytes> known_sections() {
  const bytes telemetry =
      section(3, document(R"({"otel":{"traceparent":)"
                          R"("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})"));
  return {telemetry, section(2, text("eyJhbGciOiJub25lIn0.e30.")),
          section(2, document(R"({"tenant":"acme"})")), section(2, document("{}")),
          telemetry + section(2, text("token")) + telemetry};
}

/// Sections that end in a body of `json` if the token is read as a text; if it is read as a
/// document, the body follows after them.
bytes two_faced(std::string_view json) {
  const bytes inside = document(json);
  const bytes padding(600 - inside.size(), std::byte{'p'});
  const bytes content = inside + section(1, number(std::uint32_t{5'000})) + padding + bytes(1);
  return section(2, number(static_cast<std::uint32_t>(content.size() + 4)) + content);
}

bytes packed(const bytes& whole, wire::compressor by = wire::compressor::snappy) {
  return wire::compress(whole, by);
}

wire::message_header header_of(const bytes& whole) {
  return *wire::parse_header(std::span<const std::byte, wire::limits::header_bytes>{
      whole.data(), wire::limits::header_bytes});
}

x509_answer look_at(const bytes& whole) {
  return look_for_x509(header_of(whole), whole);
}

constexpr std::string_view authenticate =
    R"({"authenticate":1,"mechanism":"MONGODB-X509","$db":"$external"})";
constexpr std::string_view find = R"({"find":"items","filter":{"tenant":1},"$db":"app"})";

TEST(x509_guard, forbids_whatever_mongos_would_take_for_it) {
  for (const std::string_view json : {
           authenticate,
           std::string_view{R"({"authenticate":1,"$db":"$external"})"},
           std::string_view{R"({"authenticate":1,"user":"CN=app","mechanism":"MONGODB-X509"})"},
           std::string_view{R"({"authenticate":1,"mechanism":"mongodb-x509","$db":"app"})"},
           std::string_view{R"({"authenticate":1,"mechanism":"MONGODB-X509\u0000"})"},
           std::string_view{R"({"authenticate":1,"mechanism":["MONGODB-X509"]})"},
           std::string_view{R"({"authenticate":1,"mechanism":"PLAIN",)"
                            R"("mechanism":"MONGODB-X509"})"},
           std::string_view{R"({"saslStart":1,"mechanism":"MONGODB-X509","payload":""})"},
           std::string_view{R"({"saslStart":1,"payload":""})"},
           std::string_view{R"({"hello":1,"speculativeAuthenticate":)"
                            R"({"authenticate":1,"mechanism":"MONGODB-X509"}})"},
           std::string_view{R"({"ismaster":1,"helloOk":true,"speculativeAuthenticate":)"
                            R"({"saslStart":1,"mechanism":"MONGODB-X509"}})"},
           std::string_view{R"({"isMaster":1,"speculativeAuthenticate":{"saslStart":1,)"
                            R"("mechanism":"PLAIN"},"speculativeAuthenticate":)"
                            R"({"authenticate":1,"mechanism":"MONGODB-X509"}})"},
       }) {
    EXPECT_EQ(look_at(request(1, json)), x509_answer::forbidden) << json;
    EXPECT_EQ(look_at(query(json)), x509_answer::forbidden) << json;
    EXPECT_EQ(look_at(query(json, "app.$cmd")), x509_answer::forbidden) << json;
    EXPECT_EQ(look_at(sequence_first(json)), x509_answer::forbidden) << json;
    for (const bytes& sections : known_sections()) {
      EXPECT_EQ(look_at(behind(sections, json)), x509_answer::forbidden) << json;
    }
    const std::string wrapped = R"({"$query":)" + std::string{json} + "}";
    EXPECT_EQ(look_at(query(wrapped)), x509_answer::forbidden) << json;
  }
}

TEST(x509_guard, passes_other_mechanisms_and_commands) {
  for (const std::string_view json : {
           find,
           std::string_view{R"({})"},
           std::string_view{R"({"ping":1,"mechanism":"MONGODB-X509"})"},
           std::string_view{R"({"find":"authenticate","filter":{"mechanism":"MONGODB-X509"}})"},
           std::string_view{R"({"hello":1})"},
           std::string_view{R"({"hello":1,"saslSupportedMechs":"db.MONGODB-X509"})"},
           std::string_view{R"({"hello":1,"speculativeAuthenticate":{"saslStart":1,)"
                            R"("mechanism":"SCRAM-SHA-256","payload":""}})"},
           std::string_view{R"({"saslStart":1,"mechanism":"SCRAM-SHA-1","payload":""})"},
           std::string_view{R"({"saslStart":1,"mechanism":"PLAIN","payload":""})"},
           std::string_view{R"({"saslStart":1,"mechanism":"GSSAPI","payload":""})"},
           std::string_view{R"({"saslContinue":1,"payload":""})"},
           std::string_view{R"({"authenticate":1,"mechanism":"MONGODB-CR","key":"x"})"},
       }) {
    EXPECT_EQ(look_at(request(1, json)), x509_answer::harmless) << json;
    EXPECT_EQ(look_at(query(json)), x509_answer::harmless) << json;
    EXPECT_EQ(look_at(sequence_first(json)), x509_answer::harmless) << json;
    for (const bytes& sections : known_sections()) {
      EXPECT_EQ(look_at(behind(sections, json)), x509_answer::harmless) << json;
    }
  }
  EXPECT_EQ(look_at(query(authenticate, "app.items")), x509_answer::harmless);
  EXPECT_EQ(look_at(message(wire::opcode::get_more, {})), x509_answer::harmless);
}

TEST(x509_guard, is_never_wrong_about_a_message_of_which_only_the_start_is_there) {
  std::vector<bytes> all = {request(1, authenticate), sequence_first(authenticate),
                            query(authenticate)};
  for (const bytes& sections : known_sections()) all.push_back(behind(sections, authenticate));
  for (const bytes& whole : all) {
    for (std::size_t size = wire::limits::header_bytes; size != whole.size(); ++size) {
      const bytes start(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(look_for_x509(header_of(whole), start), x509_answer::unclear) << size;
    }
  }
  const bytes harmless = request(1, find);
  const bytes start(harmless.begin(), harmless.begin() + 31);  // to behind "find"
  EXPECT_EQ(look_for_x509(header_of(harmless), start), x509_answer::harmless);
}

/// An OP_MSG with this number of sections before its body.
bytes sections_first(std::size_t count, std::string_view json) {
  bytes content = number(std::uint32_t{0});
  const bytes empty = bytes{std::byte{1}} + number(std::uint32_t{6}) + text("d");
  for (std::size_t i = 0; i < count; ++i) append(content, empty.data(), empty.size());
  return message(wire::opcode::msg, content + bytes{std::byte{0}} + document(json));
}

/// It is asked again with each piece of a message that comes: what it walks over is bounded.
TEST(x509_guard, looks_behind_so_many_sections_as_a_command_may_have) {
  constexpr std::size_t most = wire::limits::command_fields;
  EXPECT_EQ(look_at(sections_first(most, find)), x509_answer::harmless);
  EXPECT_EQ(look_at(sections_first(most + 1, find)), x509_answer::unclear);
  EXPECT_EQ(look_at(sections_first(most + 1, authenticate)), x509_answer::unclear);
  EXPECT_EQ(look_at(sections_first(100'000, find)), x509_answer::unclear);
}

TEST(x509_guard, believes_nothing_behind_a_section_that_may_end_elsewhere) {
  for (const bytes& sections :
       {section(4, document("{}")), section(77, number(std::uint32_t{4})),
        section(255, document(R"({"hello":1})"))}) {
    EXPECT_EQ(look_at(behind(sections, find)), x509_answer::unclear);
    EXPECT_EQ(look_at(behind(sections, authenticate)), x509_answer::unclear);
    const bytes first = request(1, find);
    bytes last = first + sections + section(0, document(authenticate));
    const auto length = static_cast<std::int32_t>(last.size());
    std::memcpy(last.data(), &length, sizeof length);
    EXPECT_EQ(look_at(last), x509_answer::harmless) << "mongos takes one body only";
  }
  EXPECT_EQ(look_at(behind(two_faced(authenticate), find)), x509_answer::forbidden);
  EXPECT_EQ(look_at(behind(two_faced(find), authenticate)), x509_answer::forbidden);
  EXPECT_EQ(look_at(behind(two_faced(authenticate), authenticate)), x509_answer::forbidden);
  EXPECT_EQ(look_at(behind(section(2, text(std::string(20'000, 'x'))), find)),
            x509_answer::unclear);
}

TEST(x509_guard, says_where_it_is_uncertain) {
  bytes corrupt = request(1, authenticate);
  corrupt[corrupt.size() - 12] = std::byte{0x42};  // the type of $db, or in its name
  corrupt[21] = std::byte{0x7f};                   // a body longer than the message
  EXPECT_EQ(look_at(corrupt), x509_answer::unclear);
  bytes unknown_section = request(1, authenticate);
  unknown_section[20] = std::byte{2};
  EXPECT_EQ(look_at(unknown_section), x509_answer::unclear);
  EXPECT_EQ(look_at(message(wire::opcode::msg, number(std::uint32_t{0}))),
            x509_answer::unclear);
  EXPECT_EQ(look_at(message(wire::opcode{2010}, document(authenticate))), x509_answer::unclear);
  EXPECT_EQ(look_at(packed(request(1, find))), x509_answer::unclear);
  std::string many = R"({"hello":1)";
  for (int i = 0; i != 200; ++i) many += R"(,"f)" + std::to_string(i) + R"(":1)";
  EXPECT_EQ(look_at(request(1, many + "}")), x509_answer::unclear);
}

class x509_session_test : public fsm_fixture {
 protected:
  step ask(const bytes& whole) { return next_of(guarded, whole); }
  double refusals(const char* action) {
    return metric("scattergate_x509_refusals_total", {{"action", action}});
  }
  /// The refusal that waits to be sent, as its body's bytes.
  std::string injected() {
    const step next = guarded.next_reply({}, now);
    EXPECT_EQ(next.what, verb::inject);
    return {reinterpret_cast<const char*>(next.injected().data()), next.injected().size()};
  }

  session_fsm guarded{inspector, {client, cursors, share, true}};
};

TEST_F(x509_session_test, answers_in_request_order_and_says_what_to_do) {
  const bytes first = request(7, find);
  expect_step(ask(first), verb::forward, first.size());
  const bytes second = request(8, authenticate);
  expect_step(ask(second), verb::drop, second.size());
  EXPECT_FALSE(guarded.has_injection());
  (void)guarded.next_reply(reply(7), now);
  ASSERT_TRUE(guarded.has_injection());
  const std::string answer = injected();
  EXPECT_NE(answer.find("scattergate: MONGODB-X509 is refused"), std::string::npos);
  EXPECT_NE(answer.find("AuthenticationFailed"), std::string::npos);
  EXPECT_EQ(refusals("rejected"), 1);
  EXPECT_EQ(metric("scattergate_commands_total", {{"db", "__failed__"},
                                                  {"collection", "__failed__"},
                                                  {"command", "authenticate"},
                                                  {"routing", "not_routed"}}),
            1);
}

TEST_F(x509_session_test, refuses_it_packed_and_by_op_query_and_with_inspection_off) {
  double expected = 0;
  for (const bool inspect : {true, false}) {
    use({}, inspect);
    for (const bytes& whole :
         {request(1, authenticate), packed(request(1, authenticate)), query(authenticate),
          packed(query(authenticate), wire::compressor::zlib), sequence_first(authenticate)}) {
      expect_step(ask(whole), verb::drop, whole.size());
      EXPECT_EQ(refusals("rejected"), ++expected);
      EXPECT_NE(injected().find("MONGODB-X509 is refused"), std::string::npos);
    }
  }
}

TEST_F(x509_session_test, drops_one_that_asks_for_no_reply) {
  const bytes whole = request(1, authenticate, wire::msg_flag::more_to_come);
  expect_step(ask(packed(whole)), verb::drop, packed(whole).size());
  expect_step(ask(whole), verb::drop, whole.size());
  EXPECT_FALSE(guarded.has_injection());
  EXPECT_EQ(refusals("rejected"), 2);
}

TEST_F(x509_session_test, closes_where_it_is_uncertain) {
  for (const bool inspect : {true, false}) {
    use({}, inspect);
    bytes broken = packed(request(1, find));
    broken.back() ^= std::byte{0xff};
    broken[25] ^= std::byte{0xff};
    session_fsm fresh{inspector, {client, cursors, share, true}};
    const step next = fresh.next_request(broken, now);
    EXPECT_EQ(next.what, verb::close);
    EXPECT_EQ(next.reason, telemetry::close_reason::x509);
  }
  EXPECT_EQ(refusals("closed"), 2);
}

TEST_F(x509_session_test, passes_packed_opcodes_that_no_command_comes_in) {
  for (const bool inspect : {true, false}) {
    use({}, inspect);
    const bytes whole = packed(message(wire::opcode::kill_cursors, number<std::int64_t>(0)));
    session_fsm fresh{inspector, {client, cursors, share, true}};
    expect_step(next_of(fresh, whole), verb::forward, whole.size());
  }
  EXPECT_EQ(refusals("closed"), 0);
}

TEST_F(x509_session_test, refuses_a_large_one_before_it_is_judged) {
  const std::string padded = R"({"authenticate":1,"mechanism":"MONGODB-X509","pad":")" +
                             std::string(100'000, 'x') + R"(","$db":"$external"})";
  double expected = 0;
  for (const bytes& whole : {request(1, padded), packed(request(1, padded))}) {
    expect_step(guarded.next_request(whole, now), verb::drop, whole.size());
    EXPECT_EQ(refusals("rejected"), ++expected);
    EXPECT_NE(injected().find("MONGODB-X509 is refused"), std::string::npos);
  }
}

TEST_F(x509_session_test, closes_on_what_cannot_be_held_unless_its_start_is_harmless) {
  for (const bool inspect : {true, false}) {
    use({}, inspect);
    bytes large = request(1, find);
    large.resize(1000);  // something that follows the body
    wire::serialize_header({100'000, 1, 0, wire::opcode::msg},
                           std::span<std::byte, 16>{large.data(), 16});
    guarded.refuse_to_hold();
    expect_step(ask(large), verb::forward, large.size());
    session_fsm other{inspector, {client, cursors, share, true}};
    bytes sequence = sequence_first(find);
    const auto size = std::uint32_t{90'000};
    std::memcpy(sequence.data() + 21, &size, sizeof size);
    wire::serialize_header({100'000, 1, 0, wire::opcode::msg},
                           std::span<std::byte, 16>{sequence.data(), 16});
    sequence.resize(1000);
    expect_step(other.next_request(sequence, now), verb::need, 100'000);
    other.refuse_to_hold();
    EXPECT_EQ(other.next_request(sequence, now).what, verb::close);
    while (guarded.next_request(bytes(50'000), now).bytes == 50'000) {
    }
  }
}

TEST_F(x509_session_test, needs_little_of_a_harmless_message_while_inspection_is_off) {
  use({}, false);
  bytes large = request(1, find);
  large.resize(600);
  wire::serialize_header({100'000, 1, 0, wire::opcode::msg},
                         std::span<std::byte, 16>{large.data(), 16});
  expect_step(ask(bytes(large.begin(), large.begin() + 16)), verb::need, 512);
  expect_step(ask(large), verb::forward, large.size());
}

TEST_F(x509_session_test, passes_it_where_mongos_sees_the_client_itself) {
  const bytes whole = request(1, authenticate);
  expect_step(fsm.next_request(whole, now), verb::forward, whole.size());
  EXPECT_EQ(refusals("rejected"), 0);
}

}  // namespace
}  // namespace scattergate::proxy
