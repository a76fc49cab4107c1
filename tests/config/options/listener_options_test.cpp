#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

using testing::ElementsAre;

/// A listener on 127.0.0.1:1 before mongos:1, and files for its TLS.
class listener_options_test : public testing::Test {
 protected:
  listener_options_test() {
    for (const char* name : {"server.pem", "server.key", "ca.pem", "client.pem"}) {
      folder.write(name, "x");
    }
  }

  loaded_options load(const std::string& lines, const environment& env = {}) {
    flags given;
    given.config_file = folder.write(
        "s.yaml", "listeners:\n  - listen: 127.0.0.1:1\n    upstream: [mongos:1]\n" + lines);
    return load_options(given, env, purpose::run);
  }

  // The only listener, if there is nothing wrong with it.
  listener_options good(const std::string& lines, const environment& env = {}) {
    const auto loaded = load(lines, env);
    EXPECT_THAT(loaded.problems, ElementsAre()) << lines;
    return loaded.value.listeners.front();
  }

  test::temporary_folder folder;
  const std::string cert = folder.path_of("server.pem");
  const std::string key = folder.path_of("server.key");
  const std::string ca = folder.path_of("ca.pem");
  const std::string client = folder.path_of("client.pem");
};

TEST_F(listener_options_test, reads_tls_to_clients_from_files_next_to_the_configuration) {
  EXPECT_EQ(good("    tls: {cert_file: server.pem, key_file: server.key, client_ca_file: " +
                 ca + "}\n")
                .tls,
            (net::client_tls_options{cert, key, ca}));
  EXPECT_EQ(good("    tls:\n      cert_file: ./server.pem\n").tls,
            (net::client_tls_options{cert, {}, {}}));
  EXPECT_EQ(good("    tls: off\n").tls, std::nullopt);
  EXPECT_EQ(good("").tls, std::nullopt);
}

TEST_F(listener_options_test, reads_tls_to_mongos_which_can_do_without_any_file) {
  EXPECT_EQ(good("    upstream_tls: {ca_file: ca.pem, cert_file: client.pem, key_file: "
                 "server.key, server_name: mongos.example.net}\n")
                .upstream_tls,
            (net::upstream_tls_options{ca, client, key, "mongos.example.net"}));
  for (const char* yaml : {"{}", "on", "true", "'on'"}) {
    EXPECT_EQ(good("    upstream_tls: " + std::string{yaml} + "\n").upstream_tls,
              net::upstream_tls_options{})
        << yaml;
  }
  EXPECT_EQ(good("    upstream_tls: off\n").upstream_tls, std::nullopt);
  EXPECT_EQ(good("").upstream_tls, std::nullopt);
}

TEST_F(listener_options_test, reads_whether_mongos_gets_the_clients_address) {
  EXPECT_TRUE(good("    proxy_protocol: v2\n").proxy_protocol);
  EXPECT_FALSE(good("    proxy_protocol: off\n").proxy_protocol);
  EXPECT_FALSE(good("").proxy_protocol);
}

TEST_F(listener_options_test, takes_what_the_environment_says_of_the_first_listener) {
  const environment env = {{"SCATTERGATE_TLS_CERT_FILE", cert},
                           {"SCATTERGATE_TLS_KEY_FILE", key},
                           {"SCATTERGATE_TLS_CLIENT_CA_FILE", ca},
                           {"SCATTERGATE_UPSTREAM_TLS_CA_FILE", ca},
                           {"SCATTERGATE_UPSTREAM_TLS_CERT_FILE", client},
                           {"SCATTERGATE_UPSTREAM_TLS_KEY_FILE", key},
                           {"SCATTERGATE_UPSTREAM_TLS_SERVER_NAME", "::1"},
                           {"SCATTERGATE_PROXY_PROTOCOL", "v2"}};
  const auto loaded = load("    proxy_protocol: off\n  - {listen: a:2, upstream: b}\n", env);
  EXPECT_THAT(loaded.problems, ElementsAre());
  ASSERT_EQ(loaded.value.listeners.size(), 2U);
  const listener_options& first = loaded.value.listeners[0];
  EXPECT_EQ(first.tls, (net::client_tls_options{cert, key, ca}));
  EXPECT_EQ(first.upstream_tls, (net::upstream_tls_options{ca, client, key, "::1"}));
  EXPECT_TRUE(first.proxy_protocol);
  EXPECT_EQ(loaded.value.listeners[1],
            (listener_options{{"a", 2, {}}, {{"b", 27017, {}}}, {}, {}, {}, false}));
}

TEST_F(listener_options_test, lets_a_switch_in_the_environment_have_the_last_word) {
  const std::string both =
      "    tls: {cert_file: server.pem}\n    upstream_tls: {ca_file: ca.pem}\n";
  const listener_options off = good(both, {{"SCATTERGATE_TLS", "off"},
                                           {"SCATTERGATE_TLS_KEY_FILE", key},
                                           {"SCATTERGATE_UPSTREAM_TLS", "off"},
                                           {"SCATTERGATE_UPSTREAM_TLS_CERT_FILE", client}});
  EXPECT_EQ(off.tls, std::nullopt);
  EXPECT_EQ(off.upstream_tls, std::nullopt);
  const listener_options on =
      good(both, {{"SCATTERGATE_TLS", "on"}, {"SCATTERGATE_UPSTREAM_TLS", "on"}});
  EXPECT_EQ(on.tls, (net::client_tls_options{cert, {}, {}}));
  EXPECT_EQ(on.upstream_tls, (net::upstream_tls_options{ca, {}, {}, {}}));
  EXPECT_EQ(good("", {{"SCATTERGATE_UPSTREAM_TLS", "on"}}).upstream_tls,
            net::upstream_tls_options{});
}

TEST_F(listener_options_test, are_refused_where_a_value_is_bad) {
  struct row {
    const char* yaml;
    const char* line;  // of the first problem
    const char* says;  // part of it
  };
  const row rows[] = {
      {"    tls:\n", "4", "tls has no value"},
      {"    upstream_tls: ~\n", "4", "upstream_tls has no value"},
      {"    tls: server.pem\n", "4", "tls: expected on or off, not 'server.pem'"},
      {"    tls: [server.pem]\n", "4", "tls must be a single value"},
      {"    upstream_tls: yes\n", "4", "expected on or off"},
      {"    tls: on\n", "4", "tls needs a cert_file"},
      {"    tls: {}\n", "4", "tls needs a cert_file"},
      {"    tls:\n      key_file: server.key\n", "4", "tls needs a cert_file"},
      {"    tls:\n      client_ca_file: ca.pem\n", "4", "tls needs a cert_file"},
      {"    tls:\n      cert_file: ''\n", "5", "cert_file: expected a file's name"},
      {"    tls:\n      cert_file: [a]\n", "5", "cert_file must be a single value"},
      {"    tls:\n      cert: a\n", "5",
       "unknown key 'cert' in tls (known: cert_file key_file"},
      {"    tls:\n      ca_file: a\n", "5", "unknown key 'ca_file' in tls"},
      {"    tls: {cert_file: server.pem, cert_file: server.pem}\n", "4", "given twice"},
      {"    tls:\n      cert_file: server.pem\n      key_file: absent.key\n", "6",
       "absent.key' cannot be read: No such file or directory"},
      {"    tls:\n      cert_file:\n        .\n", "6", "is a folder"},
      {"    upstream_tls:\n      ca_file: absent.pem\n", "5", "absent.pem' cannot be read"},
      {"    upstream_tls:\n      key_file: server.key\n", "5", "key_file needs a cert_file"},
      {"    upstream_tls:\n      server_name: mongos:27017\n", "5", "without a port"},
      {"    upstream_tls:\n      server_name: ''\n", "5", "expected a host's name or address"},
      {"    upstream_tls:\n      client_ca_file: ca.pem\n", "5", "unknown key"},
      {"    proxy_protocol: on\n", "4", "expected off or v2, not 'on'"},
      {"    proxy_protocol: v1\n", "4", "expected off or v2"},
      {"    tls_: on\n", "4",
       "in a listener (known: listen upstream upstream_choice tls upstream_tls "
       "proxy_protocol)"},
      {"    cert_file: server.pem\n", "4", "unknown key 'cert_file' in a listener"},
  };
  for (const row& one : rows) {
    const auto loaded = load(one.yaml);
    ASSERT_FALSE(loaded.problems.empty()) << one.yaml;
    const text::problem& first = loaded.problems.front();
    EXPECT_EQ(first.where, folder.path_of("s.yaml:") + one.line)
        << one.yaml << to_string(first);
    EXPECT_NE(first.what.find(one.says), std::string::npos) << one.yaml << to_string(first);
  }
}

TEST_F(listener_options_test, need_a_name_to_check_behind_a_unix_socket) {
  const std::string local = "  - listen: a:2\n    upstream: [b, 'unix:/run/mongos.sock']\n";
  EXPECT_THAT(load(local).problems, ElementsAre());
  EXPECT_THAT(load(local + "    upstream_tls: {server_name: b}\n").problems, ElementsAre());
  EXPECT_THAT(load(local + "    upstream_tls: on\n").problems,
              ElementsAre(text::problem{folder.path_of("s.yaml:6"),
                                        "upstream_tls needs a server_name, because "
                                        "unix:/run/mongos.sock has no host name"}));
}

TEST_F(listener_options_test, are_refused_where_the_value_came_from) {
  const std::string absent = folder.path_of("absent");
  const std::string why = "cannot be read: No such file or directory";
  EXPECT_THAT(
      load("    tls: {cert_file: server.pem}\n", {{"SCATTERGATE_TLS_CERT_FILE", absent},
                                                  {"SCATTERGATE_UPSTREAM_TLS_KEY_FILE", key},
                                                  {"SCATTERGATE_ADMIN_LISTEN", "127.0.0.1:5"},
                                                  {"SCATTERGATE_LISTEN", "127.0.0.1:5"}})
          .problems,
      ElementsAre(
          text::problem{"SCATTERGATE_LISTEN",
                        "127.0.0.1:5 is already used as the admin address"},
          text::problem{"SCATTERGATE_UPSTREAM_TLS_KEY_FILE", "key_file needs a cert_file"},
          text::problem{"SCATTERGATE_TLS_CERT_FILE", "cert_file: '" + absent + "' " + why}));
  EXPECT_THAT(load("", {{"SCATTERGATE_TLS", "on"}}).problems,
              ElementsAre(text::problem{"SCATTERGATE_TLS", "tls needs a cert_file"}));
}

}  // namespace
}  // namespace scattergate::config
