#include "config/driver/connection_string.hpp"

#include <gtest/gtest.h>

#include "config/driver/mongo_client.hpp"

namespace scattergate::config {
namespace {

TEST(hide_password, leaves_all_but_secrets) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"mongodb://host", "mongodb://host"},
      {"mongodb://a:1,b:2/?tls=true", "mongodb://a:1,b:2/?tls=true"},
      {"mongodb://ann@host/", "mongodb://ann@host/"},
      {"mongodb://ann:pencil@host/", "mongodb://ann:***@host/"},
      {"mongodb://ann:p@ss/wo?rd@host/?x=1", "mongodb://ann:***@host/?x=1"},
      {"mongodb+srv://ann:pencil@host/db", "mongodb+srv://ann:***@host/db"},
      {"mongodb://host/?tlsCertificateKeyFilePassword=pencil&tls=true",
       "mongodb://host/?tlsCertificateKeyFilePassword=***&tls=true"},
      {"mongodb://host/?a=b&authMechanismProperties=AWS_SESSION_TOKEN:pencil",
       "mongodb://host/?a=b&authMechanismProperties=***"},
      {"pencil", "***"},
  };
  for (const auto& [uri, shown] : cases) EXPECT_EQ(hide_password(uri), shown);
}

TEST(mongo_client, refuses_what_is_no_uri_without_citing_it) {
  for (const char* uri : {"", "pencil", "mongodb://", "http://ann:pencil@host",
                          "mongodb://a:pencil@/", "mongodb://ann:pen:cil@host@x/"}) {
    const auto opened = mongo_client::open(uri, {"test"});
    ASSERT_FALSE(opened) << uri;
    EXPECT_EQ(opened.error().kind, mongo_failure::bad_uri);
    EXPECT_EQ(opened.error().text.find("pencil"), std::string::npos);
  }
}

}  // namespace
}  // namespace scattergate::config
