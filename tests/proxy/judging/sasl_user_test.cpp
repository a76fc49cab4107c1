#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/judging/client_identity.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::proxy {
namespace {

using namespace std::string_view_literals;

/// A field of type binary, subtype 0, without its name.
std::vector<std::byte> binary(std::string_view bytes) {
  const auto size = static_cast<std::int32_t>(bytes.size());
  std::vector<std::byte> value(5 + bytes.size());
  std::memcpy(value.data(), &size, sizeof size);
  std::memcpy(value.data() + 5, bytes.data(), bytes.size());
  return value;
}

std::string user_of(std::string_view mechanism, std::string_view payload) {
  const auto value = binary(payload);
  wire::bson_writer writer;
  writer.text("mechanism", mechanism);
  writer.raw("payload", wire::bson_type::binary, value);
  const auto document = writer.take();
  return user_of_sasl_start(wire::document_view::from(document).value());
}

std::string user_of_text(std::string_view mechanism, std::string_view payload) {
  wire::bson_writer writer;
  writer.text("mechanism", mechanism);
  writer.text("payload", payload);
  const auto document = writer.take();
  return user_of_sasl_start(wire::document_view::from(document).value());
}

TEST(sasl_user, reads_a_client_first_message_as_mongos_does) {
  struct {
    std::string_view message;
    std::string_view user;
  } const cases[] = {
      {"n,,n=ann,r=fyko", "ann"},
      {"y,,n=ann,r=fyko", "ann"},
      {"n,a=ann,n=ann,r=fyko", "ann"},
      {"n,a=,n=ann,r=fyko", "ann"},
      {"n,a=bob,n=ann,r=fyko", ""},  // refused: a user can't act as another
      {"n,a=ann,n=bob,r=fyko", ""},
      {"n,n=bob,n=ann,r=fyko", ""},  // no authzid
      {"p=tls-unique,,n=ann,r=fyko", ""},
      {"p,,n=ann,r=fyko", ""},
      {"x,,n=ann,r=fyko", ""},
      {"N,,n=ann,r=fyko", ""},
      {",,n=ann,r=fyko", ""},
      {"n=ann,r=fyko", ""},
      {"n,,m=ext,n=ann,r=fyko", ""},
      {"n,,r=fyko,n=ann", ""},
      {"n,,,,n=ann,r=fyko", "ann"},  // empty parts are no parts
      {"n,,n=,r=fyko", ""},
      {"n,,n=ann", ""},
      {"n,,", ""},
      {"n", ""},
      {"", ""},
      {"n,,n=a=2Cb=3Dc,r=x", "a,b=c"},
      {"n,,n=a=2cb,r=x", "a=2cb"},  // only these two spellings are codes
      {"n,,n=a=3D2Cb,r=x", "a=2Cb"},
      {"n,,n=a=,r=x", "a="},
      {"n,a=a=2Cb,n=a=2Cb,r=x", ""},  // the authzid is compared undecoded
      {"n,,n=\xc3\xa4nne,r=x", "\xc3\xa4nne"},
      {"n,,n=ann\0bob,r=x"sv, "ann\0bob"sv},
  };
  for (const auto& [message, user] : cases) {
    EXPECT_EQ(user_of("SCRAM-SHA-256", message), user) << message;
    EXPECT_EQ(user_of("SCRAM-SHA-1", message), user) << message;
  }
}

TEST(sasl_user, reads_plain_and_leaves_the_password) {
  struct {
    std::string_view message;
    std::string_view user;
  } const cases[] = {
      {"\0ann\0secret"sv, "ann"},
      {"ann\0ann\0secret"sv, "ann"},
      {"bob\0ann\0secret"sv, ""},
      {"\0ann\0"sv, "ann"},
      {"\0ann\0secret\0more"sv, "ann"},
      {"\0ann"sv, ""},
      {"ann", ""},
      {"\0\0secret"sv, ""},
      {"", ""},
  };
  for (const auto& [message, user] : cases) EXPECT_EQ(user_of("PLAIN", message), user);
}

TEST(sasl_user, knows_no_user_by_other_mechanisms) {
  for (const auto* mechanism : {"GSSAPI", "MONGODB-AWS", "MONGODB-OIDC", "MONGODB-X509",
                                "scram-sha-256", "SCRAM-SHA-512", "SCRAM-", ""}) {
    EXPECT_EQ(user_of(mechanism, "n,,n=ann,r=fyko"), "") << mechanism;
  }
}

TEST(sasl_user, takes_text_for_base64_as_mongos_does) {
  EXPECT_EQ(user_of_text("SCRAM-SHA-256", "biwsbj1hbm4scj14"), "ann");  // n,,n=ann,r=x
  EXPECT_EQ(user_of_text("SCRAM-SHA-256", "n,,n=ann,r=x"), "");
  EXPECT_EQ(user_of_text("SCRAM-SHA-256", "biwsbj1hbm4scj1"), "");
  EXPECT_EQ(user_of_text("PLAIN", "AGFubgBzZWNyZXQ="), "ann");  // NUL ann NUL secret
}

TEST(sasl_user, takes_no_one_for_a_user_whose_name_begins_in_the_same_way) {
  const std::string longest(max_user_bytes, 'a');
  EXPECT_EQ(user_of("SCRAM-SHA-256", "n,,n=" + longest + ",r=x"), longest);
  EXPECT_EQ(user_of("SCRAM-SHA-256", "n,,n=" + longest + "b,r=x"), "");
  EXPECT_EQ(user_of("SCRAM-SHA-256", "n,,n=" + std::string(1'000'000, 'a') + ",r=x"), "");
  std::string commas;
  for (std::size_t i = 0; i < max_user_bytes; ++i) commas += "=2C";
  EXPECT_EQ(user_of("SCRAM-SHA-256", "n,,n=" + commas + ",r=x"),
            std::string(max_user_bytes, ','));
}

TEST(sasl_user, survives_a_start_that_is_none) {
  for (const auto type :
       {wire::bson_type::int32, wire::bson_type::binary, wire::bson_type::string}) {
    wire::bson_writer writer;
    if (type == wire::bson_type::int32) writer.text("mechanism", "PLAIN");
    if (type == wire::bson_type::string) writer.text("payload", "x");
    const auto document = writer.take();
    EXPECT_EQ(user_of_sasl_start(wire::document_view::from(document).value()), "");
  }
}

}  // namespace
}  // namespace scattergate::proxy
