#include "config/driver/proxied_uri.hpp"

#include <gtest/gtest.h>

#include "tests/support/problem_in.hpp"

namespace scattergate::config {
namespace {

const net::endpoint proxy{"127.0.0.1", 5, {}};

text::result<proxied_uri> try_out(std::string_view text,
                                  const text::result<srv_answer>& srv = {}) {
  return prepare_uri(parse_uri(text).value(), srv);
}

proxied_uri prepared(std::string_view text, const srv_answer& srv = {}) {
  return try_out(text, srv).value();
}

TEST(proxied_uri, keeps_all_but_hosts_to_the_byte) {
  struct row {
    std::string_view uri;
    std::string_view to_mongos;
    std::string_view direct;
  };
  const row rows[] = {
      {"mongodb://db", "mongodb://127.0.0.1:5", "mongodb://127.0.0.1:5/?directConnection=true"},
      {"mongodb://db/", "mongodb://127.0.0.1:5/",
       "mongodb://127.0.0.1:5/?directConnection=true"},
      {"mongodb://u%40x:p%2Fw@a:1,b/shop?retryWrites=true&appName=a%20b",
       "mongodb://u%40x:p%2Fw@127.0.0.1:5/shop?retryWrites=true&appName=a%20b",
       "mongodb://u%40x:p%2Fw@127.0.0.1:5/"
       "shop?retryWrites=true&appName=a%20b&directConnection=true"},
      {"mongodb://a/?replicaSet=rs0&directConnection=false",
       "mongodb://127.0.0.1:5/?replicaSet=rs0&directConnection=false",
       "mongodb://127.0.0.1:5/?replicaSet=rs0&directConnection=true"},
      {"mongodb://a/?DIRECTCONNECTION=true&w=1",
       "mongodb://127.0.0.1:5/?DIRECTCONNECTION=true&w=1",
       "mongodb://127.0.0.1:5/?w=1&directConnection=true"},
      {"mongodb://[::1]:9/?w=majority", "mongodb://127.0.0.1:5/?w=majority",
       "mongodb://127.0.0.1:5/?w=majority&directConnection=true"},
      {"mongodb://%2Ftmp%2Fmongodb.sock", "mongodb://127.0.0.1:5",
       "mongodb://127.0.0.1:5/?directConnection=true"},
  };
  for (const row& one : rows) {
    const proxied_uri made = prepared(one.uri);
    EXPECT_FALSE(made.tls) << one.uri;
    EXPECT_EQ(made.through(proxy, false), one.to_mongos);
    EXPECT_EQ(made.through(proxy, true), one.direct);
  }
}

TEST(proxied_uri, leads_where_the_hosts_were) {
  EXPECT_EQ(prepared("mongodb://a:1,b/").upstream,
            (std::vector<net::endpoint>{{"a", 1, {}}, {"b", 27017, {}}}));
  EXPECT_EQ(prepared("mongodb://%2Ftmp%2Fm.sock").upstream,
            (std::vector<net::endpoint>{{"", 0, "/tmp/m.sock"}}));
  EXPECT_EQ(prepared("mongodb://u:p@[::1]:9").upstream,
            (std::vector<net::endpoint>{{"::1", 9, {}}}));
}

TEST(proxied_uri, moves_tls_to_the_proxys_side) {
  const proxied_uri made = prepared(
      "mongodb://a/"
      "?w=1&tls=true&tlsCAFile=%2Fca.pem&tlsCertificateKeyFile=%2Fme.pem&ssl=true&r=2");
  ASSERT_TRUE(made.tls);
  EXPECT_EQ(made.tls->ca_file, "/ca.pem");
  EXPECT_EQ(made.tls->cert_file, "/me.pem");
  EXPECT_EQ(made.through(proxy, false), "mongodb://127.0.0.1:5/?w=1&r=2");
  EXPECT_EQ(made.asking({"a", 1, {}}),
            "mongodb://a:1/?directConnection=true&tls=true&tlsCAFile=%2Fca.pem&"
            "tlsCertificateKeyFile=%2Fme.pem");
  EXPECT_TRUE(prepared("mongodb://a/?tlsCAFile=/ca.pem").tls) << "a file asks for it, too";
  EXPECT_FALSE(prepared("mongodb://a/?tls=false&tlsCAFile=/ca.pem").tls);
  EXPECT_EQ(prepared("mongodb://a/?tls=true").through(proxy, false), "mongodb://127.0.0.1:5/");
}

TEST(proxied_uri, resolves_srv_names_to_hosts) {
  const srv_answer srv{{"n1.x.com:1", "n2.x.com:2"},
                       "authSource=admin&replicaSet=rs0&directConnection=true"};
  const proxied_uri made =
      prepared("mongodb+srv://u:p@c.x.com/db?replicaSet=mine&srvMaxHosts=2", srv);
  EXPECT_TRUE(made.tls) << "mongodb+srv means TLS";
  EXPECT_EQ(made.upstream,
            (std::vector<net::endpoint>{{"n1.x.com", 1, {}}, {"n2.x.com", 2, {}}}));
  EXPECT_EQ(made.through(proxy, false),
            "mongodb://u:p@127.0.0.1:5/db?replicaSet=mine&authSource=admin");
  EXPECT_FALSE(prepared("mongodb+srv://c.x.com/?tls=false", srv).tls);
  EXPECT_EQ(tests::problem_in(try_out("mongodb+srv://c.x.com", text::failure("no such name"))),
            "no such name");
}

TEST(proxied_uri, refuses_what_no_proxy_can_stand_in_for) {
  for (const std::string_view uri :
       {"mongodb://a/?loadBalanced=true", "mongodb://a/?authMechanism=MONGODB-X509&tls=true",
        "mongodb://a/?tls=true&tlsInsecure=true",
        "mongodb://a/?tls=true&tlsAllowInvalidCertificates=true",
        "mongodb://a/?tls=true&tlsCertificateKeyFile=x&tlsCertificateKeyFilePassword=secret",
        "mongodb://a:99999/"}) {
    const std::string why = tests::problem_in(try_out(uri));
    EXPECT_NE(why, "") << uri;
    EXPECT_EQ(why.find("secret"), why.npos);
  }
  EXPECT_TRUE(try_out("mongodb://a/?tls=true&tlsInsecure=false"));
  const srv_answer balanced{{"n.x.com:1"}, "loadBalanced=true"};
  EXPECT_FALSE(try_out("mongodb+srv://c.x.com", balanced));
}

TEST(proxied_uri, of_what_is_none_says_so) {
  for (const std::string_view text :
       {"", "postgres://a", "mongodb://", "mongodb:///db", "mongodb://u:p@/db",
        "mongodb+srv://a:1", "mongodb+srv://a,b"}) {
    EXPECT_FALSE(parse_uri(text)) << text;
  }
}

}  // namespace
}  // namespace scattergate::config
