#include "config/options/catalog_uri.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "config/driver/connection_string.hpp"
#include "tests/support/problem_in.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scattergate::config {
namespace {

using testing::HasSubstr;

options with(listener_options listener) {
  options made;
  made.listeners.push_back(std::move(listener));
  return made;
}

listener_options before(std::vector<net::endpoint> upstream) {
  listener_options made;
  made.upstream = std::move(upstream);
  return made;
}

TEST(catalog_uri, is_made_of_the_first_listeners_upstreams) {
  const options from = with(before({{"m1", 27017, {}}, {"::1", 27018, {}}}));
  const catalog_uri found = find_catalog_uri(from).value();
  EXPECT_EQ(found.text, "mongodb://m1:27017,[::1]:27018/?directConnection=false");
  EXPECT_TRUE(check_connection_string(found.text));
}

TEST(catalog_uri, reaches_a_unix_socket) {
  const catalog_uri found =
      find_catalog_uri(with(before({{"", 0, "/run/a b/m.sock"}}))).value();
  EXPECT_EQ(found.text, "mongodb://%2Frun%2Fa%20b%2Fm.sock/?directConnection=false");
  EXPECT_TRUE(check_connection_string(found.text));
}

TEST(catalog_uri, has_the_listeners_tls) {
  listener_options listener = before({{"m", 1, {}}});
  listener.upstream_tls = net::upstream_tls_options{"/tls/c a.pem", "/tls/us.pem", {}, {}};
  const catalog_uri found = find_catalog_uri(with(listener)).value();
  EXPECT_EQ(found.text,
            "mongodb://m:1/?directConnection=false&tls=true&tlsCAFile=%2Ftls%2Fc%20a.pem"
            "&tlsCertificateKeyFile=%2Ftls%2Fus.pem");
}

TEST(catalog_uri, must_be_given_where_the_driver_can_do_no_such_thing) {
  listener_options listener = before({{"m", 1, {}}});
  listener.upstream_tls = net::upstream_tls_options{{}, "/c.pem", "/k.pem", {}};
  EXPECT_THAT(tests::problem_in(find_catalog_uri(with(listener))), HasSubstr("key_file"));
  listener.upstream_tls = net::upstream_tls_options{{}, {}, {}, "other"};
  EXPECT_THAT(tests::problem_in(find_catalog_uri(with(listener))), HasSubstr("server_name"));
  listener.upstream_tls.reset();
  listener.proxy_protocol = true;
  EXPECT_THAT(tests::problem_in(find_catalog_uri(with(listener))), HasSubstr("PROXY"));
  options given = with(listener);
  given.catalog.uri = "mongodb://x";
  EXPECT_EQ(find_catalog_uri(given).value().text, "mongodb://x");
}

TEST(catalog_uri, is_read_from_the_first_line_of_a_file) {
  const test::temporary_folder folder;
  const std::string file = folder.write("uri", "  mongodb://ann:pencil@m/ \r\nmore\n");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_EQ(read_uri_file(file).value().text, "mongodb://ann:pencil@m/");
  EXPECT_FALSE(read_uri_file(file).value().warning);
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  EXPECT_THAT(tests::problem_in(read_uri_file(file).value().warning),
              HasSubstr("can be read by every user"));
  ASSERT_EQ(::chmod(file.c_str(), 0444), 0);  // as Kubernetes and Docker mount secrets
  EXPECT_FALSE(read_uri_file(file).value().warning);
  EXPECT_THAT(tests::problem_in(read_uri_file(folder.write("empty", "\n"))),
              HasSubstr("no connection"));
  EXPECT_THAT(tests::problem_in(read_uri_file(folder.path_of("none"))),
              HasSubstr("uri_file: "));
}

TEST(catalog_uri, of_the_options_goes_before_that_of_a_file) {
  const test::temporary_folder folder;
  options from = with(before({{"m", 1, {}}}));
  from.catalog.uri_file = folder.write("uri", "mongodb://file");
  EXPECT_EQ(find_catalog_uri(from).value().text, "mongodb://file");
  from.catalog.uri = "mongodb://given";
  EXPECT_EQ(find_catalog_uri(from).value().text, "mongodb://given");
}

}  // namespace
}  // namespace scattergate::config
