#include "sim/execution/scram.hpp"

#include <gtest/gtest.h>

namespace scattergate::sim {
namespace {

// RFC 7677, section 3: user "user", password "pencil".
constexpr const char* client_first = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
constexpr const char* server_nonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
constexpr const char* client_final =
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

TEST(scram, derives_the_keys_of_rfc_7677) {
  const std::string salt = from_base64("W22ZaJ0SNY7soEsUEjb6gQ==");
  const scram_secret secret = make_secret(digest_kind::sha256, "user", "pencil", salt, 4096);
  const std::string text =
      std::string{"n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO"} + server_nonce +
      ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO" + server_nonce;
  EXPECT_EQ(base64(hmac(digest_kind::sha256, secret.server_key, text)),
            "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
}

TEST(scram, sha1_hashes_mongodbs_digest_of_name_and_password) {
  const std::string salt = "0123456789abcdef";
  const scram_secret secret = make_secret(digest_kind::sha1, "u", "p", salt, 10);
  const std::string password = hex(digest(digest_kind::md5, "u:mongo:p"));
  const std::string salted = pbkdf2(digest_kind::sha1, password, salt, 10);
  EXPECT_EQ(secret.server_key, hmac(digest_kind::sha1, salted, "Server Key"));
  EXPECT_NE(secret.server_key,
            hmac(digest_kind::sha1, pbkdf2(digest_kind::sha1, "p", salt, 10), "Server Key"));
}

/// The client's side, for one exchange with the salt that the server has chosen.
std::string prove(digest_kind kind, const std::string& password, const std::string& first_bare,
                  const std::string& server_first) {
  const auto part = [&server_first](const char* name) {
    const std::size_t from = server_first.find(name) + 2;
    return server_first.substr(from, server_first.find(',', from) - from);
  };
  const std::string salted =
      pbkdf2(kind, password, from_base64(part("s=")), std::stoi(part("i=")));
  const std::string key = hmac(kind, salted, "Client Key");
  const std::string without_proof = "c=biws,r=" + part("r=");
  const std::string signature =
      hmac(kind, digest(kind, key), first_bare + "," + server_first + "," + without_proof);
  std::string proof = key;
  for (std::size_t i = 0; i < proof.size(); ++i) {
    proof[i] = static_cast<char>(proof[i] ^ signature[i]);
  }
  return without_proof + ",p=" + base64(proof);
}

TEST(scram, lets_in_who_knows_the_password_and_no_one_else) {
  credentials known;
  known.add("ann", "secret");
  const std::string bare = "n=ann,r=clientnonce";
  for (const char* password : {"secret", "guess"}) {
    scram_server server{known, digest_kind::sha256, "servernonce"};
    const auto first = server.step("n,," + bare);
    ASSERT_TRUE(first.has_value());
    const auto final = server.step(prove(digest_kind::sha256, password, bare, *first));
    EXPECT_EQ(final.has_value(), std::string{password} == "secret");
    EXPECT_EQ(server.is_proven(), std::string{password} == "secret");
  }
}

TEST(scram, refuses_messages_that_are_not_of_the_conversation) {
  credentials known;
  known.add("user", "pencil");
  for (const char* message :
       {"", "n", "n,,", "n,,n=user", "n,,r=x", "p=tls-unique,,n=user,r=x", "n,,n=nobody,r=x"}) {
    scram_server server{known, digest_kind::sha256, "nonce"};
    EXPECT_FALSE(server.step(message).has_value()) << message;
  }
  for (const char* message :
       {"", ",p=", "c=biws,p=AAAA", client_final, "c=xxxx,r=anonce,p=AAAA"}) {
    scram_server server{known, digest_kind::sha256, server_nonce};
    ASSERT_TRUE(server.step(client_first).has_value());
    EXPECT_FALSE(server.step(message).has_value()) << message;
    EXPECT_FALSE(server.is_proven());
  }
}

TEST(scram, a_user_name_may_hold_commas_and_equals_signs) {
  credentials known;
  known.add("a,b=c", "x");
  scram_server server{known, digest_kind::sha1, "nonce"};
  EXPECT_TRUE(server.step("n,,n=a=2Cb=3Dc,r=abc").has_value());
  EXPECT_EQ(server.user(), "a,b=c");
}

}  // namespace
}  // namespace scattergate::sim
