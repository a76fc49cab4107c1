#include "app/gate.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include <unistd.h>

#include "app/catalog_source.hpp"
#include "app/daemon_source.hpp"
#include "app/gate/gate_child.hpp"
#include "app/gate/gate_proxy.hpp"
#include "app/gate/gate_rules.hpp"
#include "app/gate/gate_targets.hpp"
#include "app/gate/test_marker.hpp"
#include "app/terminal.hpp"
#include "config/text/scalars.hpp"
#include "net/endpoint.hpp"
#include "report/sources/digest_builder.hpp"
#include "text/names.hpp"

namespace scattergate::app {
namespace {

/// The maximum number of shapes: more than any test suite has.
constexpr std::size_t most_shapes = 20'000;

void say(const std::string& what) {
  write_line(stderr, "scattergate gate: " + what);
}

text::result<void> check_flags(const gate_flags& given) {
  if (given.from ? !given.command.empty() : given.command.empty()) {
    return text::failure(
        "pass either a command to run, after --, or --from http://HOST:PORT of a proxy");
  }
  if (given.from && !is_url(*given.from)) {
    return text::problem{"--from", "expected http://HOST:PORT or https://HOST:PORT"};
  }
  const bool starts_proxy = given.upstream || given.listen || given.admin ||
                            given.has_test_marker || !given.variables.empty();
  if (given.from && starts_proxy) {
    return text::problem{"--from",
                         "not with --upstream, --listen, --admin, --env or --test-marker, "
                         "which are for a proxy that the gate starts"};
  }
  if (auto checked = check_views(given.format, given.outputs); !checked) return checked;
  for (const auto& [name, text] :
       {std::pair{"--admin", &given.admin}, std::pair{"--listen", &given.listen}}) {
    if (*text && !net::parse_endpoint(**text)) {
      return text::problem{name, "not an address: '" + **text + "'"};
    }
  }
  return {};
}

text::result<gate_limits> read_limits(const gate_flags& given) {
  gate_limits made;
  made.ignores_failed = given.ignores_failed;
  if (!given.max_fanout || *given.max_fanout == "all") return made;
  const auto count = config::parse_count(*given.max_fanout);
  if (!count || *count == 0 || *count > UINT32_MAX) {
    return text::problem{"--max-fanout",
                         "expected all or a number of shards, not '" + *given.max_fanout + "'"};
  }
  made.max_fanout = static_cast<std::uint32_t>(*count);
  return made;
}

/// Prints and writes the report.
text::result<void> write_report(const report::report_model& model, const gate_flags& given) {
  const auto style = style_of_terminal(STDERR_FILENO);
  write_view(std::cerr, model, given.format ? *format_named(*given.format) : format::text,
             style);
  const auto unwritten = write_files(model, given.outputs);
  if (unwritten.empty()) return {};
  return text::problem{unwritten.back(), "can't be written"};
}

/// The digest of a test suite's commands (the table of their shapes), judged as the flags say.
/// The same for a command that the gate ran and for a running proxy.
class gate_judge {
 public:
  /// `subject`: the command or the proxy's address.
  gate_judge(const gate_flags& given, const gate_limits& limits,
             const known_repository& repository, baseline_check& baseline, std::string subject)
      : given_(given),
        limits_(limits),
        repository_(repository),
        baseline_(baseline),
        subject_(std::move(subject)) {}

  /// Judges by this catalog; `name`: its name in reports.
  void use(std::shared_ptr<const routing::catalog> catalog, const std::string& name) {
    catalog_ = std::move(catalog);
    catalog_name_ = name;
    builder_.emplace(catalog_, table_);
  }
  /// Receives the commands. REQUIRES: use() was called.
  [[nodiscard]] report::digest_builder& builder() { return *builder_; }
  [[nodiscard]] const std::shared_ptr<const routing::catalog>& catalog() const {
    return catalog_;
  }
  [[nodiscard]] std::uint64_t commands() const { return table_.all().commands; }

  /// Prints the findings and the result, and writes the files. Returns the exit status.
  /// `of_run`: the exit status of the command. `seen`: what the proxy has counted.
  int conclude(const gate_rules& rules, int of_run, const proxy_facts& seen) {
    int ours = judge(rules, of_run == 0 && seen.outdated == 0);
    if (seen.unread != 0) say(std::to_string(seen.unread) + " messages could not be read");
    say_failed();
    ours = std::max(ours, compare_catalog());
    if (seen.outdated != 0) {
      ours = note_trouble(text::failure(
          std::to_string(seen.outdated) +
          (seen.outdated == 1 ? " command was" : " commands were") +
          " not judged, because the cluster's catalog was not read again in time"));
    }
    close(of_run, ours);
    return of_run == 0 ? ours : of_run;
  }

 private:
  int judge(const gate_rules& rules, bool is_good) {
    counts_ = apply(limits_, table_, *catalog_);
    rules.accept(table_, *catalog_);
    int status = 0;
    if (is_good) {  // a failed run may have sent only a part of its traffic
      const auto written = baseline_.write(table_);
      if (!written) status = note_trouble(written.error());
    }
    report::report_model model{table_, builder_->truth(), {}, {}, catalog_name_};
    model.sources.push_back({subject_, {}, 0, builder_->of_source(), {}});
    model.generated_at = std::chrono::system_clock::now();
    model.against = baseline_.compare(table_);
    model.parts = &builder_->parts();
    model.has_findings_alone = true;
    set_places(model, repository_, catalog_name_, given_.baseline.named());
    if (const auto written = write_report(model, given_); !written)
      status = note_trouble(written.error());
    const auto note = note_on_places(model, given_.format, given_.outputs);
    if (!note.empty()) say(note);
    return status == 0 && baseline_.fails() ? 1 : status;
  }

  void say_failed() const {
    if (counts_.failed != 0) {
      say(std::to_string(counts_.failed) + (counts_.failed == 1 ? " scatter" : " scatters") +
          " failed at the server and were judged all the same (--ignore-failed leaves out "
          "findings that always failed)");
    }
    if (counts_.ignored != 0) {
      say(std::to_string(counts_.ignored) + (counts_.ignored == 1 ? " finding" : " findings") +
          " left out by --ignore-failed: all commands failed at the server");
    }
  }

  /// Prints how the catalog and the used collections differ. Returns could_not if
  /// --require-match fails the run.
  int compare_catalog() {
    using routing::routing_class;
    const auto& by_routing = table_.all().by_routing;
    const auto count = [&](routing_class one) {
      return by_routing[static_cast<std::size_t>(one)];
    };
    const catalog_use use = compare(*catalog_, table_);
    if (!use.unused.empty()) {
      say("catalog entries that no command used: " + text::listed(use.unused));
    }
    if (!use.unknown.empty() && !catalog_->collections().empty()) {
      say("collections that the catalog doesn't list: " + text::listed(use.unknown));
    }
    int status = 0;
    const bool is_any_sharded = count(routing_class::single_shard) +
                                    count(routing_class::multi_shard) +
                                    count(routing_class::scatter_gather) !=
                                0;
    if (!is_any_sharded) {
      say("no command was on a collection that " + catalog_name_ +
          " shards: do its namespaces match?");
      mismatch_ = "the catalog matches none of the commands";
    } else if (!use.mistyped.empty()) {
      mismatch_ = "the catalog has a name that no command used: " + text::listed(use.mistyped);
      if (!given_.requires_match) say(mismatch_);
    }
    if (!mismatch_.empty() && given_.requires_match) status = could_not;
    return status;
  }

  /// Prints the last line: the result, and what to do.
  void close(int of_run, int ours) const {
    const std::string judged = baseline_.in_words();
    if (of_run != 0) {
      say("FAIL: " + subject_ + " ended with " + std::to_string(of_run) + "; fix that first; " +
          judged);
    } else if (ours == could_not) {
      say("FAIL: " +
          (trouble_ ? to_string(*trouble_)
                    : mismatch_ + ": fix its namespaces, or pass --no-require-match") +
          "; " + judged);
    } else {
      say((ours == 0 ? "PASS: " : "FAIL: ") + judged);
    }
  }

  int note_trouble(const text::problem& found) {
    trouble_ = found;
    return fail("gate", found);
  }

  const gate_flags& given_;
  gate_limits limits_;
  const known_repository& repository_;
  baseline_check& baseline_;
  std::string subject_;
  std::string catalog_name_;
  std::string mismatch_;  // how the catalog doesn't match the commands
  std::optional<text::problem> trouble_;
  gate_counts counts_;
  std::shared_ptr<const routing::catalog> catalog_;
  digest::table table_{most_shapes};
  std::optional<report::digest_builder> builder_;
};

/// One run of a command behind a proxy.
class gate_run {
 public:
  gate_run(const gate_flags& given, const gate_limits& limits,
           const known_repository& repository, baseline_check& baseline)
      : given_(given), judge_(given, limits, repository, baseline, given.command.front()) {}

  int status() {
    if (const auto prepared = prepare(); !prepared) return fail("gate", prepared.error());
    auto environment = targets_.environment(proxy_.bound());
    if (given_.has_test_marker) environment["SCATTERGATE_TEST_MARKER"] = marker_.url();
    const auto started = child_.start(given_.command, environment);
    if (!started) {
      say(given_.command.front() + ": " + started.error().message());
      return gate_child::status_of(started.error());
    }
    const int status = child_.wait();
    const auto read = read_proxy_facts({proxy_.admin()});
    const proxy_facts seen = read ? *read : proxy_facts{};
    if (seen.connections == 0) {
      say(given_.command.front() +
          " never connected to the proxy: does it use SCATTERGATE_URI, or "
          "a variable named by --env?");
      return status == 0 ? could_not : status;
    }
    judge_.use(proxy_.catalog(), catalog_name_);
    proxy_.stop(judge_.builder());
    if (judge_.commands() == 0) {
      const auto reached = targets_.probe_absent();
      say("nothing was judged: the server never answered" +
          (reached ? "" : ": " + to_string(reached.error())));
      return status == 0 ? could_not : status;
    }
    return judge_.conclude(*rules_, status, seen);
  }

 private:
  /// The catalog to use: the requested one, or else the cluster's own.
  [[nodiscard]] config::catalog_options choose_catalog() const {
    config::catalog_options made;
    made.source = given_.catalog.value_or(std::string{config::catalog_options::mongos});
    made.uri = given_.catalog_uri.value_or(targets_.uri());
    return made;
  }

  text::result<void> prepare() {
    if (auto read = targets_.read(given_.variables, given_.upstream); !read) return read;
    const auto catalog = choose_catalog();
    const bool needs_mongos = catalog.is_live() && !given_.catalog_uri;
    const std::chrono::seconds patience{given_.wait_seconds};
    if (auto loaded = proxy_.load(catalog); !loaded) return loaded;
    const auto rules = gate_rules::read(given_.rules, proxy_.rules_of_catalog());
    if (!rules) return rules.error();
    rules_ = *rules;
    if (auto asked = targets_.probe(patience, needs_mongos); !asked) return asked;
    if (needs_mongos && !targets_.are_mongos()) {
      return text::failure(
          "Not a mongos, so nothing is sharded there; pass --catalog FILE or preset:NAME");
    }
    std::optional<net::endpoint> admin;
    if (given_.admin) admin = net::parse_endpoint(*given_.admin);
    catalog_name_ = catalog.source;
    auto listeners = targets_.listeners();
    if (given_.listen) listeners.front().listen = *net::parse_endpoint(*given_.listen);
    std::shared_ptr<const telemetry::running_tests> tests;
    if (given_.has_test_marker) {
      if (auto started = marker_.start(); !started) return started;
      tests = marker_.tests();
    }
    return proxy_.start(std::move(listeners), *rules_, admin, std::move(tests), patience);
  }

  const gate_flags& given_;
  gate_child child_;  // constructed before any thread exists
  gate_targets targets_;
  std::optional<gate_rules> rules_;
  gate_judge judge_;
  test_marker marker_;
  gate_proxy proxy_;
  std::string catalog_name_;
};

/// Reads the digest of a running proxy. Waits until it has all commands that the proxy's
/// metrics count, because workers hand over their counts with a delay.
text::result<daemon_digest> read_whole(const std::string& url,
                                       const admin_credentials& credentials,
                                       std::uint64_t commands) {
  constexpr std::chrono::milliseconds pause{250};
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  for (;;) {
    auto read = read_daemon(url, credentials, most_shapes);
    if (!read || read->end) return read;
    if (read->rows.all().commands >= commands) return read;
    if (std::chrono::steady_clock::now() > until) {
      return text::failure("its API lacks commands that its metrics count");
    }
    std::this_thread::sleep_for(pause);
  }
}

/// Judges the commands that a running proxy has counted.
int judge_proxy(const gate_flags& given, const gate_limits& limits,
                const known_repository& repository, baseline_check& baseline) {
  const auto fail_from = [&](const text::problem& why) {
    return fail("gate", {*given.from, to_string(why)});
  };
  const auto credentials = read_admin_credentials(given.credentials);
  if (!credentials) return fail("gate", credentials.error());
  const auto address = admin_address_of(*given.from, *credentials);
  if (!address) return fail_from(address.error());
  catalog_source source{given.catalog.value_or(""), given.catalog_uri.value_or(""), "gate"};
  auto catalog = source.load();
  if (!catalog.problems.empty()) return fail("gate", catalog.problems.front());
  const auto rules = gate_rules::read(given.rules, std::move(catalog.rules));
  if (!rules) return fail("gate", rules.error());
  auto seen = read_proxy_facts(*address);
  if (!seen) return fail_from(seen.error());
  const auto read = read_whole(*given.from, *credentials, seen->commands);
  if (!read) return fail_from(read.error());
  if (read->end) return fail_from(*read->end);
  if (read->rows.all().commands == 0) {
    say("no command went through the proxy at " + *given.from +
        ": does the test suite connect to it?");
    return could_not;
  }
  gate_judge judge{given, limits, repository, baseline, *given.from};
  judge.use(catalog.value, given.catalog.value_or("the proxy's catalog"));
  if (given.catalog) {
    seen->outdated = 0;  // all are judged again
    report::rejudging_observer{catalog.value, judge.builder()}.on_digest(read->rows);
  } else {
    judge.builder().on_digest(read->rows);
  }
  return judge.conclude(*rules, 0, *seen);
}

}  // namespace

bool requires_match_by_default() {
  const char* const value = std::getenv("CI");
  return value != nullptr && std::string_view{value} == "true";
}

int gate(const gate_flags& given) {
  if (const auto checked = check_flags(given); !checked) return fail("gate", checked.error());
  const auto repository = find_repository(given.places, true);
  if (!repository) return fail("gate", repository.error());
  baseline_check baseline{given.baseline, report::fail_on::new_findings};
  if (const auto problems = baseline.load(); !problems.empty())
    return fail("gate", problems.front());
  const auto limits = read_limits(given);
  if (!limits) return fail("gate", limits.error());
  std::signal(SIGPIPE, SIG_IGN);
  if (given.from) return judge_proxy(given, *limits, *repository, baseline);
  return gate_run{given, *limits, *repository, baseline}.status();
}

}  // namespace scattergate::app
