#include "config/options/page_access.hpp"

#include <gtest/gtest.h>

namespace scattergate::config {
namespace {

class page_access_test : public testing::Test {
 protected:
  static net::endpoint at(std::string_view text) { return *net::parse_endpoint(text); }

  options options_;
};

TEST_F(page_access_test, is_for_users_of_this_host_on_loopback) {
  for (const char* address : {"127.0.0.1:1", "127.1.2.3:0", "[::1]:1", "unix:/run/admin"}) {
    options_.admin = at(address);
    EXPECT_EQ(page_door_of(options_).access, page_access::loopback) << address;
    EXPECT_EQ(page_door_of(options_).at, options_.admin);
  }
  options_.admin_access.token_file = "token";
  EXPECT_EQ(page_door_of(options_).access, page_access::guarded);
}

TEST_F(page_access_test, off_loopback_needs_both_tls_and_a_token) {
  for (const char* address : {"0.0.0.0:1", "[::]:1", "192.0.2.1:1"}) {
    options_.admin = at(address);
    options_.admin_access = {};
    EXPECT_EQ(page_door_of(options_).access, page_access::unreachable) << address;
    options_.admin_access.token_file = "token";
    EXPECT_EQ(page_door_of(options_).access, page_access::unreachable) << address;
    options_.admin_access.tls.cert_file = "cert.pem";
    EXPECT_EQ(page_door_of(options_).access, page_access::guarded) << address;
  }
}

TEST_F(page_access_test, may_be_had_at_an_address_of_its_own) {
  options_.admin = at("0.0.0.0:1");
  options_.admin_page_listen = at("127.0.0.1:2");
  EXPECT_EQ(page_door_of(options_).access, page_access::loopback);
  EXPECT_EQ(page_door_of(options_).at, *options_.admin_page_listen);
  EXPECT_EQ(page_door_of(options_).setting, "admin.page_listen");
  options_.admin_page_listen = at("0.0.0.0:2");
  EXPECT_EQ(page_door_of(options_).access, page_access::unreachable);
  options_.admin = at("127.0.0.1:1");
  EXPECT_EQ(page_door_of(options_).access, page_access::loopback);
  EXPECT_EQ(page_door_of(options_).setting, "admin.listen");
}

TEST_F(page_access_test, is_off_where_there_is_no_page) {
  options_.admin = at("0.0.0.0:1");
  options_.admin_page = false;
  EXPECT_EQ(page_door_of(options_).access, page_access::off);
}

}  // namespace
}  // namespace scattergate::config
