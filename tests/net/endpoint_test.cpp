#include "net/endpoint.hpp"

#include <gtest/gtest.h>

namespace scattergate::net {
namespace {

TEST(endpoint, reads_every_form_and_writes_it_back) {
  struct row {
    const char* text;
    endpoint address;
  };
  const row rows[] = {
      {"127.0.0.1:27117", {"127.0.0.1", 27117, {}}},
      {"localhost:0", {"localhost", 0, {}}},
      {"mongos-1.shard_a.svc.cluster.local:65535",
       {"mongos-1.shard_a.svc.cluster.local", 65535, {}}},
      {"[::1]:1", {"::1", 1, {}}},
      {"[fe80::1%eth0]:27017", {"fe80::1%eth0", 27017, {}}},
      {"unix:/run/scattergate.sock", {"", 0, "/run/scattergate.sock"}},
  };
  for (const row& one : rows) {
    const auto read = parse_endpoint(one.text);
    ASSERT_TRUE(read) << one.text;
    EXPECT_EQ(*read, one.address) << one.text;
    EXPECT_EQ(to_string(*read), one.text);
  }
}

TEST(endpoint, takes_the_default_port_only_where_there_is_one) {
  EXPECT_EQ(parse_endpoint("mongos1", 27017), (endpoint{"mongos1", 27017, {}}));
  EXPECT_EQ(parse_endpoint("[::1]", 27017), (endpoint{"::1", 27017, {}}));
  EXPECT_EQ(parse_endpoint("mongos1:5", 27017), (endpoint{"mongos1", 5, {}}));
  EXPECT_FALSE(parse_endpoint("mongos1"));
  EXPECT_FALSE(parse_endpoint("[::1]"));
}

TEST(endpoint, refuses_what_is_no_address) {
  const std::string_view with_nul{"unix:/a\0b", 9};
  const std::string_view ip_with_nul{"[::1\0b]:1", 9};
  const std::string long_path = "unix:/" + std::string(200, 'x');
  const std::string long_host = std::string(300, 'x') + ":1";
  for (const std::string_view text : {std::string_view{""},
                                      std::string_view{":27017"},
                                      std::string_view{"host:"},
                                      std::string_view{"host:65536"},
                                      std::string_view{"host:-1"},
                                      std::string_view{"host:1x"},
                                      std::string_view{"host:99999999999999999999"},
                                      std::string_view{"host: 1"},
                                      std::string_view{"ho st:1"},
                                      std::string_view{"::1:27017"},
                                      std::string_view{"[::1"},
                                      std::string_view{"[::1]27017"},
                                      std::string_view{"[nonsense]:1"},
                                      std::string_view{"[127.0.0.1]:1"},
                                      std::string_view{"[fe80::1%]:1"},
                                      std::string_view{"[fe80::1%e/0]:1"},
                                      ip_with_nul,
                                      std::string_view{"a:1:2"},
                                      std::string_view{"mongodb://host:1"},
                                      std::string_view{"unix:"},
                                      std::string_view{"unix:/"},
                                      std::string_view{"unix:relative.sock"},
                                      with_nul,
                                      std::string_view{long_path},
                                      std::string_view{long_host}}) {
    EXPECT_FALSE(parse_endpoint(text, 0)) << text;
  }
}

TEST(a_host, is_a_name_or_an_address_and_nothing_more) {
  for (const char* text :
       {"mongos", "mongos-1.example.net", "127.0.0.1", "::1", "fe80::1%eth0"}) {
    EXPECT_TRUE(is_host(text)) << text;
  }
  for (const char* text :
       {"", "mongos:27017", "[::1]", "a b", "*.example.net", "unix:/run/a"}) {
    EXPECT_FALSE(is_host(text)) << text;
  }
}

}  // namespace
}  // namespace scattergate::net
