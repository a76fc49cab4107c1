#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "config/options/rule_reader.hpp"
#include "config/options/settings.hpp"
#include "config/text/problem_log.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/printable.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

struct bad_option {
  const char* yaml;
  const char* line;  // of the first problem
  const char* says;  // part of it
};

void expect_problem(const bad_option& one) {
  const test::temporary_folder folder;
  flags given;
  given.config_file = folder.write("s.yaml", one.yaml);
  const auto loaded = load_options(given, {}, purpose::inspect);
  ASSERT_FALSE(loaded.problems.empty()) << one.yaml;
  const text::problem& first = loaded.problems.front();
  EXPECT_EQ(first.where, *given.config_file + ":" + one.line) << one.yaml << to_string(first);
  EXPECT_NE(first.what.find(one.says), std::string::npos) << one.yaml << to_string(first);
}

TEST(a_bad_configuration, is_refused_where_its_form_is_wrong) {
  const bad_option rows[] = {
      {"a: [\n", "2", ""},
      {"- a\n", "1", "the configuration must be a map"},
      {"\n\nscalar\n", "3", "the configuration must be a map"},
      {"inspect: on\nnonsense: 1\n", "2", "unknown key 'nonsense' in the configuration"},
      {"inspect: on\ninspect: off\n", "2", "key 'inspect' is given twice"},
      {"{[a]: 1}\n", "1", "a key of the configuration isn't text"},
      {"audit: off\n", "1", "audit must be a map"},
      {"audit:\n  - file\n", "2", "audit must be a map"},
      {"audit:\n  file: x\n  fiel: y\n", "3", "unknown key 'fiel' in audit (known: file"},
      {"audit: {file: }\n", "1", "file has no value"},
      {"audit:\n  file: [a]\n", "2", "file must be a single value"},
      {"listeners: 5\n", "1", "listeners must be a list"},
      {"listeners:\n  - 5\n", "2", "a listener must be a map"},
      {"rules: {a: 1}\n", "1", "rules must be a list"},
      {"inspect: &a on\n", "1", "anchors"},
  };
  for (const bad_option& one : rows) expect_problem(one);
}

TEST(a_bad_configuration, is_refused_for_a_bad_value) {
  const bad_option rows[] = {
      {"listeners:\n  - listen: nowhere\n    upstream: [a]\n", "2", "expected an address"},
      {"listeners:\n  - listen: a:1\n    upstream: [a, 'b:x']\n", "3", "expected an address"},
      {"listeners:\n  - listen: a:1\n    upstream:\n      - a\n      - [b]\n", "5", "address"},
      {"listeners:\n  - listen: a:1\n    upstream: a:0\n", "3", "port must not be 0"},
      {"listeners:\n  - listen: a:1\n    upstream: a\n    upstream_choice: any\n", "4",
       "expected spread, listed or connections"},
      {"listeners:\n  - listen: a:1\n    upstream: a\n    upstream_choice: connections\n", "4",
       "needs proxy_protocol: v2"},
      {"listeners:\n  - listen: a:1\n    upstream: [b, 'b:27017']\n", "3", "given twice"},
      {"listeners:\n  - listen: a:1\n    upstream: []\n", "2", "no upstream"},
      {"listeners:\n  - listen: a:1\n    upstream: [b, 'a:1']\n", "3",
       "leads back to this listener, a:1"},
      {"listeners:\n  - listen: 'unix:/run/a'\n    upstream: 'unix:/run/a'\n", "3",
       "leads back to this listener"},
      {"listeners:\n  - {listen: '0.0.0.0:27017', upstream: localhost}\n", "2",
       "leads back to this listener"},
      {"listeners:\n  - {listen: 'localhost:1', upstream: '[::1]:1'}\n", "2",
       "leads back to this listener"},
      {"listeners:\n  - {listen: a:1, upstream: c:3}\n  - {listen: b:2, upstream: c:2}\n"
       "  - {listen: c:3, upstream: d}\n  - {listen: c:2, upstream: b:2}\n",
       "3", "leads back to this listener, b:2"},
      {"listeners:\n  - {listen: a:1, upstream: b}\n  - {listen: a:1, upstream: b}\n", "3",
       "a:1 is already used as another listener's address"},
      {"listeners:\n  - upstream: b\n    listen: 127.0.0.1:19216\n", "3",
       "127.0.0.1:19216 is already used as the admin address"},
      {"admin: {listen: 'unix:/run/a'}\nhandover:\n  socket: /run/a\n", "3",
       "unix:/run/a is already used as the admin address"},
      {"listeners:\n  - {listen: 'unix:/run/a', upstream: b}\nhandover: {socket: /run/a}\n",
       "2", "unix:/run/a is already used as the handover socket"},
      {"workers: {threads: -1}\n", "1", "a number from 0 to 1024"},
      {"fleet:\n  uri_file: /dev/null\n  name: a\n", "2", "a fleet needs state.file"},
      {"state: {file: /tmp/scattergate-state}\nfleet:\n  uri_file: /dev/null\n", "3",
       "fleet.name is missing: give each sidecar its own"},
      {"fleet: {name: a}\n", "1", "a fleet needs fleet.uri_file"},
      {"fleet: {logical_shards: 0}\n", "1", "a number from 1 to 10000"},
      {"fleet: {database: 'a.b'}\n", "1", "a database's name"},
      {"workers: {threads: 1025}\n", "1", "a number from 0 to 1024"},
      {"workers: {engine: kqueue}\n", "1", "epoll, io_uring or auto"},
      {"workers: {threads: two}\n", "1", "not 'two'"},
      {"inspect: maybe\n", "1", "expected on or off"},
      {"catalog: {source: ''}\n", "1", "mongos, preset:NAME, a file or off"},
      {"catalog: {uri: pencil}\n", "1", "the connection string can't be read"},
      {"catalog: {uri_file: /nowhere/uri}\n", "1", "uri_file: "},
      {"catalog: {refresh: 10ms}\n", "1", "a duration from 1s to 24h"},
      {"catalog: {max_chunks: -1}\n", "1", "a number from 0 to 10000000"},
      {"admin: {listen: 19216}\n", "1", "expected an address"},
      {"admin: {page: 1}\n", "1", "on or off"},
      {"metrics: {max_namespaces: 0}\n", "1", "a number from 1 to"},
      {"audit: {file: ''}\n", "1", "expected a file's name"},
      {"audit: {interval: 60}\n", "1", "a duration from 100ms to 24h"},
      {"audit: {interval: 1ms}\n", "1", "a duration from 100ms to 24h"},
      {"audit: {values: plain}\n", "1", "expected redacted"},
      {"audit: {max_shapes: 1e4}\n", "1", "a number from 1 to"},
      {"state: {file: '-'}\n", "1", "expected a file's name, or nothing"},
      {"state: {file: /tmp}\n", "1", "'/tmp' is a folder"},
      {"state: {file: nowhere/}\n", "1", "'nowhere/' is a folder"},
      {"audit: {file: a}\nstate: {file: ./a}\n", "2", "'./a' is the audit log too"},
      {"log: {file: /a/b}\nstate: {file: /a/x/../b}\n", "2", "is the log too"},
      {"state: {interval: 10ms}\n", "1", "a duration from 1s to 24h"},
      {"state: file\n", "1", "state must be a map"},
      {"log: {level: loud}\n", "1", "debug, info, warning or error"},
      {"log: {file: ~}\n", "1", "file has no value"},
      {"limits: {connections: 0}\n", "1", "a number from 1 to"},
      {"limits: {memory: 512MB}\n", "1", "a size from 1MiB"},
      {"limits: {memory: 1KiB}\n", "1", "a size from 1MiB"},
      {"limits: {memory: 1025GiB}\n", "1", "a size from 1MiB to 1024GiB"},
      {"limits: {connections_per_address: -1}\n", "1", "a number from 0 to 1000000"},
      {"limits: {first_message: 10}\n", "1", "a duration from 100ms to 24h"},
      {"limits: {first_message: 99ms}\n", "1", "or 0s"},
      {"limits: {message: 25h}\n", "1", "a duration from 100ms to 24h"},
      {"limits: {quiet: 0s}\n", "1", "a duration from 1s to 168h"},
      {"limits: {idle: off}\n", "1", "or 0s, not 'off'"},
      {"limits: {message_size: 64KB}\n", "1", "a size from 64KiB to 48000000"},
      {"limits: {message_size: 65535}\n", "1", "a size from 64KiB"},
      {"limits: {message_size: 48000001}\n", "1", "a size from 64KiB to 48000000"},
      {"admin: {grafana_link: grafana.example}\n", "1", "begins with http:// or https://"},
      {"admin: {grafana_link: \"javascript:alert(1)\"}\n", "1", "begins with http://"},
      {"admin: {grafana_link: \"https://g/a b\"}\n", "1", "without spaces"},
      {"admin: {grafana_link: \"https://g/{database}\"}\n", "1", "the placeholders are {db}"},
      {"admin: {grafana_link: \"https://g/{db\"}\n", "1", "the placeholders are {db}"},
      {"failover: {check_interval: 1ms}\n", "1", "a duration from 100ms"},
      {"failover: {check_timeout: 0s}\n", "1", "a duration from 100ms to 1m"},
      {"failover: {fall: 0}\n", "1", "a number from 1 to 100"},
      {"failover: {rise: 101}\n", "1", "a number from 1 to 100"},
      {"failover: {no_reply: 1ms}\n", "1", "a duration from 100ms"},
      {"failover: 5s\n", "1", "failover must be a map"},
      {"handover: {socket: sg.sock}\n", "1", "an absolute path of at most 107 bytes"},
      {"handover: {socket: /}\n", "1", "an absolute path of at most 107 bytes"},
      {"handover: {sockets: /run/a}\n", "1", "unknown key 'sockets' in handover"},
      {"verify: {samples: some}\n", "1", "off, shapes or values"},
      {"verify: {self_check: often}\n", "1", "on or off"},
      {"verify: {interval: 99ms}\n", "1", "a duration from 100ms to 24h"},
      {"verify:\n  self_check: on\n  uri_file: /nowhere/uri\n", "3", "uri_file: "},
      {"listeners:\n  - {upstream: b, proxy_protocol: v2}\nverify: {self_check: on}\n", "3",
       "needs verify.uri_file"},
      {"drain: {grace: forever}\n", "1", "a duration from 0ms"},
      {"on_uninspected: drop\n", "1", "forward or reject"},
      {"comments: {accept: [shop]}\n", "1", "database.collection"},
      {"comments: {accept: [[a.b]]}\n", "1", "expected text"},
      {"comments: {reject: [a.b]}\n", "1", "unknown key 'reject' in comments"},
  };
  for (const bad_option& one : rows) expect_problem(one);
}

TEST(a_bad_configuration, is_refused_for_a_link_that_is_too_long) {
  const std::string link = "https://g/" + std::string(990, 'x');
  const std::string good = "admin: {grafana_link: \"" + link + "\"}\n";
  const std::string bad = "admin: {grafana_link: \"" + link + "x\"}\n";
  const test::temporary_folder folder;
  flags given;
  given.config_file = folder.write("s.yaml", good);
  EXPECT_EQ(load_options(given, {}, purpose::inspect).value.admin_access.grafana_link, link);
  expect_problem({bad.c_str(), "1", "at most 1000 bytes"});
}

TEST(a_bad_configuration, is_refused_for_a_bad_rule) {
  const bad_option rows[] = {
      {"rules:\n  - match: {}\n", "2", "a rule needs a name"},
      {"rules:\n  - name: a\n    action: permit\n", "3", "observe, accept, throttle or reject"},
      {"rules:\n  - name: a\n    sction: accept\n", "3", "unknown key 'sction' in a rule"},
      {"rules:\n  - name: a\n  - name: a\n", "3", "another rule is named 'a'"},
      {"rules:\n  - name: a\n    action: reject\n", "2", "must match something"},
      {"rules:\n  - name: a\n    match: x\n", "3", "match must be a map"},
      {"rules:\n  - name: a\n    match: {ns: x}\n", "3", "unknown key 'ns' in match"},
      {"rules:\n  - name: a\n    match:\n      namespace: users\n", "4", "database.collection"},
      {"rules:\n  - name: a\n    match:\n      command: fnid\n", "4", "not 'fnid'"},
      {"rules:\n  - name: a\n    match:\n      routing: scatter\n", "4", "scatter_gather"},
      {"rules:\n  - name: a\n    match:\n      missing: _id\n", "4", "missing must be a list"},
      {"rules:\n  - name: a\n    match:\n      missing: []\n", "4",
       "must name at least one shard key field"},
      {"rules:\n  - name: a\n    match:\n      missing: [[x]]\n", "4", "shard key fields"},
      {"rules:\n  - name: a\n    match:\n      shape: 123\n", "4", "16 hexadecimal digits"},
      {"rules:\n  - name: a\n    match:\n      app: ''\n", "4", "is empty"},
      {"rules:\n  - name: a\n    match:\n      user: [x]\n", "4", "a single value"},
      {"rules:\n  - name: a\n    match:\n      remote: 10.0.0.1/8\n", "4", "not '10.0.0.1/8'"},
      {"rules:\n  - name: a\n    match:\n      remote:\n      - localhost\n", "5", "remote: "},
      {"rules:\n  - name: a\n    match:\n      remote: []\n", "4", "names no network"},
      {"rules:\n  - name: a\n    match:\n      fanout: many\n", "4", "not 'many'"},
      {"rules:\n  - name: a\n    match:\n      fanout: <0\n", "4", "a comparison"},
      {"rules:\n  - name: a\n    match:\n      queryShapeHash: 12\n", "4", "not '12'"},
      {"rules:\n  - name: a\n    match:\n      queryShapeHash:\n      - x\n", "5", "64 hexa"},
      {"rules:\n  - name: a\n    match:\n      queryShapeHash: []\n", "4", "names no hash"},
      {"rules:\n  - name: a\n    until: 2027-02-29\n", "3", "not '2027-02-29'"},
      {"rules:\n  - name: a\n    until: soon\n", "3", "expected a day"},
      {"rules:\n  - name: a\n    dry_run: maybe\n", "3", "true or false"},
  };
  for (const bad_option& one : rows) expect_problem(one);
  const std::string start = "rules:\n- name: a\n  match: {command: find}\n";
  const bad_option throttles[] = {
      {"  action: throttle\n", "2", "needs throttle: limits"},
      {"  throttle: {rate: 1/s}\n", "2", "needs action: throttle"},
      {"  action: throttle\n  throttle: {}\n", "5", "a rate or a concurrency"},
      {"  action: throttle\n  throttle: {rate: 50}\n", "5", "such as 50/s"},
      {"  action: throttle\n  throttle: {rate: 0/s}\n", "5", "such as 50/s"},
      {"  action: throttle\n  throttle: {rate: 5/d}\n", "5", "such as 50/s"},
      {"  action: throttle\n  throttle: {concurrency: 2, burst: 3}\n", "5", "burst needs"},
      {"  action: throttle\n  throttle: {rate: 5/s, burst: 0}\n", "5", "from 1 to 1000000"},
      {"  action: throttle\n  throttle: {rate: 5/s, queue: 10001}\n", "5", "to 10000"},
      {"  action: throttle\n  throttle: {rate: 5/s, wait: 61s}\n", "5", "at most 1m"},
      {"  action: throttle\n  throttle: {rate: 5/s, until: 1}\n", "5", "unknown key 'until'"},
  };
  for (const bad_option& one : throttles) {
    const std::string whole = start + one.yaml;
    expect_problem({whole.c_str(), one.line, one.says});
  }
  const std::string long_glob(300, '*');
  expect_problem({("rules: [{name: a, match: {comment: '" + long_glob + "'}}]").c_str(), "1",
                  "longer than 256 bytes"});
}

TEST(a_bad_configuration, shows_all_its_problems_but_not_a_million) {
  const test::temporary_folder folder;
  flags given;
  given.config_file = folder.write("s.yaml", "inspect: x\nlog: {level: y}\nz: 1\n");
  EXPECT_EQ(load_options(given, {}, purpose::inspect).problems.size(), 3U);
  std::string many{"inspect: on\n"};
  for (int i = 0; i < 5'000; ++i) many += "k" + std::to_string(i) + ": 1\n";
  folder.write("s.yaml", many);
  const auto loaded = load_options(given, {}, purpose::inspect);
  EXPECT_EQ(loaded.problems.size(), problem_log::max_problems + 1);
  EXPECT_NE(loaded.problems.back().what.find("not shown"), std::string::npos);
}

TEST(a_bad_configuration, has_no_problem_that_only_follows_from_another) {
  struct case_of {
    const char* yaml;
    environment env;
  };
  const case_of cases[] = {
      {"listeners:\n  - upstreem: [a]\n", {}},
      {"listeners:\n  - upstream: ['a:x']\n", {}},
      {"listeners:\n  - 5\n", {}},
      {"listner:\n  - upstream: [a]\n", {}},
      {"listeners:\n  - upstream: [a]\n    tls: {cert_fil: a.pem}\n", {}},
      {"listeners:\n  - upstream: [a]\n    tls: maybe\n", {}},
      {"listeners:\n  - {upstream: a, listen: x}\n  - {upstream: a}\n", {}},
      {"admin:\n  tls: {cert: a.pem, key_file: /etc/passwd}\n",
       {{"SCATTERGATE_UPSTREAM", "a"}}},
      {"", {{"SCATTERGATE_UPSTREAM", "a:x"}}},
      {"", {{"SCATTERGATE_UPSTREM", "a"}}},
      {"a: [\n", {}},
      {"rules:\n  - {name: r, action: reject, match: {routing: foo}}\n",
       {{"SCATTERGATE_UPSTREAM", "a"}}},
      {"rules:\n  - {name: r, action: trottle, match: {command: find}, throttle: {rate: "
       "1/s}}\n",
       {{"SCATTERGATE_UPSTREAM", "a"}}},
      {"rules:\n  - {name: [r], action: accept}\n", {{"SCATTERGATE_UPSTREAM", "a"}}},
  };
  const test::temporary_folder folder;
  flags given;
  for (const case_of& one : cases) {
    given.config_file = folder.write("s.yaml", one.yaml);
    const auto loaded = load_options(given, one.env, purpose::run);
    EXPECT_EQ(loaded.problems.size(), 1U) << one.yaml << to_string(loaded.problems.back());
  }
}

TEST(a_bad_configuration, may_not_be_large) {
  const test::temporary_folder folder;
  flags given;
  given.config_file = folder.write("s.yaml", std::string(2 << 20, '#'));
  const auto loaded = load_options(given, {}, purpose::inspect);
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_EQ(loaded.problems[0].what, "larger than 1 MiB");
}

TEST(problems, cannot_bring_control_characters_to_a_terminal) {
  EXPECT_EQ(text::in_quotes("a\x1b[2Jb\n"), "'a?[2Jb?'");
  EXPECT_EQ(text::in_quotes(std::string(100, 'x')), "'" + std::string(80, 'x') + "...'");
}

}  // namespace
}  // namespace scattergate::config
