#include "config/driver/reply_frame.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"
#include "tests/support/problem_in.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"

namespace scattergate::config {
namespace {

using bytes = std::vector<std::byte>;
using wire::opcode;

bytes joined(std::initializer_list<bytes> parts) {
  bytes made;
  for (const bytes& part : parts) made.insert(made.end(), part.begin(), part.end());
  return made;
}

template <typename Number>
bytes number(Number value) {
  bytes made(sizeof value);
  wire::store_little(made.data(), value);
  return made;
}

bytes document(const std::string& json) {
  return bson_of_json(json).value().bytes;
}

bytes message(opcode op, const bytes& payload) {
  return joined({number(static_cast<std::int32_t>(16 + payload.size())), number(1), number(2),
                 number(static_cast<std::int32_t>(op)), payload});
}

bytes op_msg(const bytes& sections, std::uint32_t flags = 0) {
  return message(opcode::msg, joined({number(flags), sections}));
}

bytes op_reply(std::int32_t returned, const bytes& documents) {
  return message(opcode::reply, joined({number(8), number(std::int64_t{0}), number(0),
                                        number(returned), documents}));
}

std::string why(const bytes& reply, opcode asked) {
  const auto begins = check_reply_header(std::span{reply}.first<16>(), asked);
  return tests::problem_in(begins ? check_reply(reply) : begins);
}

/// As the reply to a request of its own kind.
std::string why(const bytes& reply) {
  const bool is_old = wire::load_little<std::int32_t>(reply.data() + 12) == 1;
  return why(reply, is_old ? opcode::query : opcode::msg);
}

const bytes body_kind{std::byte{0}};
const bytes good = document(R"({"ok": 1, "a": [{"b": {}}, 5], "s": "x"})");

TEST(reply_frame, takes_one_sound_document) {
  EXPECT_EQ(why(op_msg(joined({body_kind, good}))), "");
  EXPECT_EQ(why(op_reply(1, good)), "");
  const bytes scoped =
      document(R"json({"c": {"$code": "f()", "$scope": {"x": {"y": 1}}}})json");
  EXPECT_EQ(why(op_msg(joined({body_kind, scoped}))), "");
}

TEST(reply_frame, refuses_what_is_no_reply) {
  const bytes cut{good.begin(), good.end() - 1};
  bytes longer = good;
  longer.front() = std::byte{0xff};
  const struct {
    bytes reply;
    const char* why;
  } cases[] = {
      {joined({number(15), number(1), number(2), number(2013)}), "its length is invalid"},
      {joined({number(-1), number(1), number(2), number(2013)}), "its length is invalid"},
      {joined({number(0x7fffffff), number(1), number(2), number(2013)}),
       "its length is invalid"},
      {joined({number(48'000'000), number(1), number(2), number(2013)}), "it is too long"},
      {message(opcode::compressed, good), "it is not an OP_MSG"},
      {message(opcode::query, good), "it is not an OP_MSG"},
      {message(static_cast<opcode>(-7), good), "it is not an OP_MSG"},
      {message(opcode::msg, {}), "it ends before its document"},
      {op_msg({}), "it ends before its document"},
      {op_msg(joined({body_kind, good}), 1), "it has flags"},
      {op_msg(joined({body_kind, good}), 2), "it has flags"},
      {op_msg(joined({bytes{std::byte{1}}, good})), "its first section isn't a body"},
      {op_msg(body_kind), "the document doesn't fill the message"},
      {op_msg(joined({body_kind, cut})), "the document doesn't fill the message"},
      {op_msg(joined({body_kind, longer})), "the document doesn't fill the message"},
      {op_msg(joined({body_kind, good, body_kind, good})),
       "the document doesn't fill the message"},
      {op_reply(1, {}), "the document doesn't fill the message"},
      {op_reply(0, {}), "it doesn't have exactly one document"},
      {op_reply(2, joined({good, good})), "it doesn't have exactly one document"},
      {op_reply(-1, good), "it doesn't have exactly one document"},
      {message(opcode::reply, good), "it doesn't have exactly one document"},
      {message(opcode::reply, number(8)), "it ends before its document"},
  };
  for (const auto& [reply, reason] : cases) EXPECT_EQ(why(reply), reason);
}

TEST(reply_frame, refuses_a_reply_to_another_kind_of_request) {
  EXPECT_EQ(why(op_reply(1, good), opcode::msg), "it is not an OP_MSG");
  EXPECT_EQ(why(op_msg(joined({body_kind, good})), opcode::query), "it is not an OP_REPLY");
}

TEST(reply_frame, refuses_documents_that_are_broken_inside) {
  const bytes whole = op_msg(joined({body_kind, document(R"({"a": {"b": [1, {"c": "x"}]}})")}));
  bytes ends_wrong = whole;
  ends_wrong[whole.size() - 2] = std::byte{1};  // the NUL of the document `a`
  EXPECT_EQ(why(ends_wrong), "its document is broken");
  bytes odd_type = whole;
  odd_type[25] = std::byte{0x7e};
  EXPECT_EQ(why(odd_type), "its document is broken");
}

TEST(reply_frame, reads_as_deep_as_servers_do_and_no_deeper) {
  const auto nested = [](int levels) {
    bytes made = document(R"({"x": 1})");
    for (int i = 0; i < levels; ++i) {
      made = joined({number(static_cast<std::int32_t>(made.size() + 8)),
                     bytes{std::byte{3}, std::byte{'a'}, std::byte{0}}, made, bytes(1)});
    }
    return op_msg(joined({body_kind, made}));
  };
  EXPECT_EQ(why(nested(150)), "");
  EXPECT_EQ(why(nested(20'000)), "its document is broken");
}

bytes text(std::string_view of) {
  const auto all = std::as_bytes(std::span{of});
  return {all.begin(), all.end()};
}

/// A document of one field.
bytes document_of(wire::bson_type type, std::string_view name, const bytes& value) {
  const bytes field =
      joined({{static_cast<std::byte>(type)}, text(name), {std::byte{0}}, value});
  const auto size = static_cast<std::int32_t>(field.size() + sizeof(std::int32_t) + 1);
  return joined({number(size), field, {std::byte{0}}});
}

bytes payload_of(std::string_view challenge) {
  const bytes binary = joined(
      {number(static_cast<std::int32_t>(challenge.size())), {std::byte{0}}, text(challenge)});
  return document_of(wire::bson_type::binary, "payload", binary);
}

TEST(reply_frame, refuses_a_login_that_a_driver_would_work_on_for_hours) {
  const struct {
    const char* challenge;
    bool is_fair;
  } cases[] = {
      {"r=abc,s=QSXCR+Q6sek8bf92,i=15000", true},
      {"r=abc,s=QSXCR+Q6sek8bf92,i=1000000", true},
      {"v=rmF9pqV8S7suAoZWja4dJRkFsKQ=", true},
      {"e=other-error", true},
      {"", true},
      {"i", true},
      {"\xff\x00,,==", true},
      {"r=abc,s=QSXCR+Q6sek8bf92,i=1000001", false},
      {"r=abc,s=QSXCR+Q6sek8bf92,i=2147483647", false},
      {"r=abc,s=QSXCR+Q6sek8bf92,i=99999999999999999999999", false},
      {"i=-1", false},
      {"i=", false},
      {"i= 9999999", false},
      {"r=abc,r=abc,s=x,i=4096", false},
      {"r=abc,s=x,i=4096,i=2147483647", false},
  };
  for (const auto& [challenge, is_fair] : cases) {
    const std::string expected = is_fair ? "" : "its authentication fields are invalid";
    const bytes payload = payload_of(challenge);
    const auto inside = [&](const char* name) {
      const bytes outer = document_of(wire::bson_type::document, name, payload);
      return why(op_msg(joined({body_kind, outer})));
    };
    EXPECT_EQ(why(op_msg(joined({body_kind, payload}))), expected) << challenge;
    EXPECT_EQ(why(op_reply(1, payload)), expected) << challenge;
    EXPECT_EQ(inside("speculativeAuthenticate"), expected) << challenge;
    EXPECT_EQ(inside("cursor"), "") << challenge;
  }
}

TEST(reply_frame, refuses_codes_that_no_error_has) {
  const auto why_code = [](const std::string& json) {
    return why(op_msg(joined({body_kind, document(json)})));
  };
  for (const char* code : {"1", "13", "2147483647", "91.0", R"({"$numberLong": "61"})"}) {
    EXPECT_EQ(why_code(R"({"ok": 0, "code": )" + std::string{code} + "}"), "") << code;
  }
  for (const char* code :
       {"0", "-1", "1.5", R"({"$numberDouble": "NaN"})", R"({"$numberDouble": "Infinity"})",
        R"({"$numberLong": "4294967296"})", R"("13")", "null", "{}"}) {
    const std::string error = R"({"ok": 0, "code": )" + std::string{code} + "}";
    EXPECT_EQ(why_code(error), "its error code is invalid") << code;
    EXPECT_EQ(why_code(R"({"ok": 1, "writeConcernError": )" + error + "}"),
              "its error code is invalid")
        << code;
  }
  EXPECT_EQ(why_code(R"({"cursor": {"firstBatch": [{"code": "x"}]}})"), "");
}

}  // namespace
}  // namespace scattergate::config
