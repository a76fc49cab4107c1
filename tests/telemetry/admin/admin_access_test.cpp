#include "telemetry/admin/admin_access.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

constexpr const char* token = "correct horse battery";

admin_access::settings on_loopback() {
  return {.bound_host = "127.0.0.1", .hosts = {"sidecar.example"}};
}
admin_access::settings off_loopback() {
  return {.bound_host = "0.0.0.0", .is_loopback = false, .is_secured = true, .token = token};
}

unsigned status_of(const admin_access& access, const admin_access::request& one) {
  const auto refused = access.refuse(one);
  return refused ? refused->status : 200;
}

TEST(admin_access, refuses_a_foreign_host_but_for_metrics_and_health) {
  const admin_access access{on_loopback()};
  for (const char* ours : {"", "127.0.0.1:19216", "127.0.0.1", "localhost:19216", "LOCALHOST",
                           "a.localhost", "[::1]:19216", "Sidecar.Example:80"}) {
    EXPECT_EQ(status_of(access, {"/", ours, ""}), 200U) << ours;
    EXPECT_EQ(status_of(access, {"/api/v1/status", ours, ""}), 200U) << ours;
  }
  for (const char* foreign : {"evil.example", "evil.example:19216", "127.0.0.1.evil.example",
                              "localhost.evil.example", "10.0.0.1", "[::2]", "x:y:z", "["}) {
    EXPECT_EQ(status_of(access, {"/", foreign, ""}), 403U) << foreign;
    EXPECT_EQ(status_of(access, {"/api/v1/status?x", foreign, ""}), 403U) << foreign;
    for (const char* open : {"/metrics", "/healthz", "/readyz", "/readyz?verbose"}) {
      EXPECT_EQ(status_of(access, {open, foreign, ""}), 200U) << foreign;
    }
  }
}

TEST(admin_access, requires_the_token_if_there_is_one) {
  const admin_access access{off_loopback()};
  // Basic's are of "any:" and "" before the token, made by coreutils' base64.
  for (const char* right : {"Bearer correct horse battery", "bearer correct horse battery",
                            "Basic YW55OmNvcnJlY3QgaG9yc2UgYmF0dGVyeQ==",
                            "basic OmNvcnJlY3QgaG9yc2UgYmF0dGVyeQ=="}) {
    EXPECT_EQ(status_of(access, {"/", "10.0.0.1", right}), 200U) << right;
  }
  for (const char* wrong :
       {"", "Bearer", "Bearer ", "Bearer correct horse batterz", "Bearer correct horse batter",
        "Bearer correct horse battery ", "Basic", "Basic !!!", "Basic YW55", "Digest x",
        "correct horse battery", "Bearer correct horse batterycorrect horse battery"}) {
    EXPECT_EQ(status_of(access, {"/", "10.0.0.1", wrong}), 401U) << wrong;
    EXPECT_EQ(status_of(access, {"/metrics", "10.0.0.1", wrong}), 200U) << wrong;
  }
}

TEST(admin_access, shows_nothing_off_loopback_without_token_or_tls) {
  auto without_token = off_loopback();
  without_token.token.clear();
  auto without_tls = off_loopback();
  without_tls.is_secured = false;
  for (const auto& with : {without_token, without_tls}) {
    const admin_access access{with};
    EXPECT_EQ(status_of(access, {"/", "", "Bearer correct horse battery"}), 403U);
    EXPECT_EQ(status_of(access, {"/metrics", "", ""}), 200U);
  }
}

TEST(admin_access, refuses_pages_of_other_sites_but_for_links_to_the_page) {
  struct asked {
    unsigned status;
    std::string_view target;
    std::string_view site;
    std::string_view mode;
    std::string_view dest;
    bool is_get = true;
  };
  const admin_access access{on_loopback()};
  for (const asked& one : {
           asked{200, "/", "", "", ""},  // no browser
           asked{200, "/metrics", "", "", ""},
           asked{200, "/", "none", "navigate", "document"},  // typed
           asked{200, "/api/v1/status", "same-origin", "cors", "empty"},
           asked{200, "/page.js", "same-origin", "cors", "script"},
           asked{200, "/", "cross-site", "navigate", "document"},  // a link
           asked{200, "/?ns=a", "cross-site", "navigate", "document"},
           asked{200, "/runbook", "cross-site", "navigate", "document"},
           asked{403, "/runbook", "cross-site", "no-cors", "image"},
           asked{403, "/", "cross-site", "navigate", "document", false},
           asked{403, "/", "cross-site", "navigate", "iframe"},
           asked{403, "/", "cross-site", "navigate", ""},
           asked{403, "/", "cross-site", "", "document"},
           asked{403, "/", "cross-site", "", ""},
           asked{403, "/", "cross-site", "no-cors", "image"},
           asked{403, "/api/v1/shapes", "cross-site", "navigate", "document"},
           asked{403, "/api/v1/shapes?since=x", "cross-site", "no-cors", "script"},
           asked{403, "/metrics", "cross-site", "no-cors", "image"},
           asked{403, "/metrics", "cross-site", "navigate", "document"},
           asked{403, "/healthz", "cross-site", "no-cors", "empty"},
       }) {
    const auto refused =
        access.refuse({one.target, "127.0.0.1", "", one.site, one.mode, one.dest, one.is_get});
    EXPECT_EQ(refused ? refused->status : 200U, one.status)
        << one.target << ' ' << one.site << ' ' << one.mode << ' ' << one.dest;
    EXPECT_TRUE(!refused || std::ranges::count(refused->body, '\n') == 1);
  }
}

TEST(admin_access, asks_no_one_at_a_unix_socket_for_names) {
  EXPECT_EQ(status_of(admin_access{{}}, {"/", "whatever", ""}), 200U);
}

TEST(read_token, is_the_first_line_of_the_file) {
  const tests::temporary_folder folder;
  const std::string file = folder.file("token");
  std::ofstream{file} << token << "\nmore\n";
  EXPECT_EQ(read_token(file).value(), token);
  for (const char* bad : {"", "\n", "short\n"}) {
    std::ofstream{file} << bad;
    EXPECT_FALSE(read_token(file)) << bad;
  }
  EXPECT_FALSE(read_token(folder.file("none")));
}

}  // namespace
}  // namespace scattergate::telemetry
