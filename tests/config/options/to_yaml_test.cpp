#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {
namespace {

using std::chrono::milliseconds;

/// Makes options that the reader accepts, of every kind.
class options_maker {
 public:
  /// `file` is one that can be read.
  options_maker(unsigned seed, std::string file) : random_(seed), file_(std::move(file)) {}

  options make() {
    options made;
    const std::size_t listeners = 1 + below(3);
    for (std::size_t i = 0; i < listeners; ++i) made.listeners.push_back(listener(i));
    made.threads = static_cast<unsigned>(below(1025));
    made.inspect = coin();
    made.catalog.source = pick({"mongos", "off", "preset:yorkie", "/etc/a b/catalog.yaml"});
    made.catalog.uri = pick({"", "mongodb://a:1,b:2/?tls=true", "mongodb://ann@host/"});
    made.catalog.refresh = milliseconds{1'000 + below(86'000'000)};
    made.catalog.max_chunks = below(10'000'001);
    const std::size_t rules = below(4);
    for (std::size_t i = 0; i < rules; ++i) made.rules.push_back(make_rule(i));
    if (coin()) made.comments.accept = {"shop.*", "*.reports"};
    made.reject_uninspected = coin();
    made.admin = address(1'000);
    made.admin_page = coin();
    made.admin_access.tap = coin() ? tap_content::redacted : tap_content::off;
    made.admin_access.grafana_link =
        pick({"", "https://g/d/x?var-db={db}&from={from}&to={to}", "http://g#{shape}"});
    made.admin_access.resolved_after = milliseconds{1'000 + below(86'000'000)};
    made.max_namespaces = 1 + below(20'000);
    made.audit = {text(), milliseconds{100 + below(86'000'000)}, 1 + below(1'000'000)};
    made.state = {pick({"", "/var/lib/a b/state", "state: it"}),
                  milliseconds{1'000 + below(86'000'000)}};
    made.log = {text(), pick({"debug", "info", "warning", "error"})};
    made.limits = {1 + below(1'000'000),       below(1'000'000),
                   duration_or_zero(),         duration_or_zero(),
                   duration_or_zero(),         milliseconds{1'000 + below(600'000'000)},
                   65'536 + below(47'934'465), (1ULL << 20) + below(1ULL << 32)};
    made.failover = {duration_or_zero(),
                     milliseconds{100 + below(59'000)},
                     static_cast<unsigned>(1 + below(100)),
                     static_cast<unsigned>(1 + below(100)),
                     duration_or_zero(),
                     duration_or_zero()};
    made.handover.socket = pick({"", "/run/a b/handover.sock", "/h"});
    made.drain_grace = milliseconds{below(86'000'000)};
    return made;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool coin() { return below(2) == 0; }
  std::string pick(std::vector<std::string> from) { return from[below(from.size())]; }

  milliseconds duration_or_zero() { return milliseconds{coin() ? 0 : 100 + below(86'000'000)}; }

  // Texts that YAML could read as another type.
  std::string text() {
    return pick({"-",
                 "off",
                 "null",
                 "~",
                 "a b",
                 "x: y",
                 "[1]",
                 "{",
                 "'",
                 "\"",
                 "\\",
                 "#",
                 "*a",
                 "&a",
                 "!t",
                 "é",
                 "tab\tnewline\nend",
                 "\x7f",
                 "007",
                 "true"});
  }
  net::endpoint address(std::uint64_t port) {
    const std::string shape = pick({"host", "::1", "unix"});
    if (shape == "unix") return {"", 0, "/run/" + std::to_string(port)};
    return {shape, static_cast<std::uint16_t>(port), {}};
  }
  listener_options listener(std::uint64_t number) {
    listener_options made;
    made.listen = address(2'000 + number);
    const std::uint64_t upstreams = 1 + below(3);
    for (std::uint64_t i = 0; i < upstreams; ++i) made.upstream.push_back(address(3'000 + i));
    const auto file = [this] { return coin() ? file_ : std::string{}; };
    if (coin()) made.tls = {file_, file(), file()};
    if (coin())
      made.upstream_tls = {file(), file_, file(), pick({"mongos.example.net", "::1"})};
    const bool is_remote = std::none_of(made.upstream.begin(), made.upstream.end(),
                                        [](const net::endpoint& one) { return one.is_unix(); });
    if (coin() && is_remote) made.upstream_tls.emplace();
    made.proxy_protocol = coin();
    made.choice = static_cast<upstream_choice>(below(made.proxy_protocol ? 3 : 2));
    return made;
  }
  rule make_rule(std::uint64_t number) {
    rule made;
    made.name = std::to_string(number) + text();
    made.match.app = text();
    if (coin()) made.match.name_space = "db.*" + text();
    if (coin()) made.match.command = routing::command_kind::find;
    if (coin()) made.match.routing = routing::routing_class::multi_shard;
    if (coin()) made.match.missing = {text(), text()};
    if (coin()) made.match.shape = random_();
    if (coin()) made.match.user = text();
    if (coin()) made.match.comment = text();
    made.action = static_cast<rule_action>(below(4));
    if (made.action == rule_action::throttle) made.throttle = throttle();
    if (coin()) made.why = text();
    if (coin()) made.by = text();
    if (coin()) made.match.remote = {*net::network::parse(pick({"10.0.0.0/8", "fd00::/8"}))};
    if (coin()) made.match.fanout.value = parse_fanout(pick({">=4", "<=3", "2"}));
    if (coin()) made.match.query_shapes = {std::string(64, '0'), std::string(64, 'F')};
    if (coin()) made.until = text::parse_day("2027-01-31");
    made.dry_run = coin();
    return made;
  }

  throttle_limits throttle() {
    throttle_limits made;
    static_cast<void>(parse_rate(pick({"50/s", "7/m", "1/h"}), made));
    made.burst = static_cast<std::uint32_t>(1 + below(1'000'000));
    if (coin()) made.concurrency = static_cast<std::uint32_t>(1 + below(1'000'000));
    made.queue = static_cast<std::uint32_t>(below(10'001));
    made.wait = milliseconds{below(60'001)};
    return made;
  }

  std::mt19937_64 random_;
  std::string file_;
};

TEST(to_yaml, gives_the_same_options_again) {
  const test::temporary_folder folder;
  const std::string file = folder.write("of: [a] 'server'.pem", "x");
  for (unsigned seed = 0; seed < 300; ++seed) {
    const options made = options_maker(seed, file).make();
    const std::string yaml = to_yaml(made);
    flags given;
    given.config_file = folder.write("effective.yaml", yaml);
    const auto loaded = load_options(given, {}, purpose::run);
    for (const text::problem& one : loaded.problems)
      ADD_FAILURE() << to_string(one) << "\n" << yaml;
    ASSERT_EQ(loaded.value, made) << yaml;
  }
}

TEST(to_yaml, shows_the_defaults) {
  options defaults;
  defaults.listeners.emplace_back();
  const std::string yaml = to_yaml(defaults);
  EXPECT_NE(yaml.find("  - listen: \"127.0.0.1:27117\"\n"), yaml.npos);
  EXPECT_NE(yaml.find("    tls: off\n    upstream_tls: off\n    proxy_protocol: off\n"),
            yaml.npos);
  EXPECT_NE(yaml.find("admin:\n  listen: \"127.0.0.1:19216\"\n  page: on\n"), yaml.npos);
}

}  // namespace
}  // namespace scattergate::config
