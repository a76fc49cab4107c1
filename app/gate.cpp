#include "app/gate.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

#include "app/gate/gate_child.hpp"
#include "app/gate/gate_proxy.hpp"
#include "app/gate/gate_targets.hpp"
#include "app/terminal.hpp"
#include "net/endpoint.hpp"

namespace scattergate::app {
namespace {

/// The maximum number of shapes: more than any test suite has.
constexpr std::size_t most_shapes = 20'000;

void say(const std::string& what) {
  write_line(stderr, "scattergate gate: " + what);
}

text::result<void> check_flags(const gate_flags& given) {
  if (auto checked = check_views(given.format, given.outputs); !checked) return checked;
  for (const auto& [name, text] :
       {std::pair{"--admin", &given.admin}, std::pair{"--listen", &given.listen}}) {
    if (*text && !net::parse_endpoint(**text)) {
      return text::problem{name, "not an address: '" + **text + "'"};
    }
  }
  return {};
}

/// The catalog to use: the requested one, or the cluster's own if there is one.
text::result<config::catalog_options> choose_catalog(const gate_flags& given,
                                                     const gate_targets& targets) {
  config::catalog_options made;
  made.source = given.catalog.value_or(std::string{config::catalog_options::mongos});
  made.uri = given.catalog_uri.value_or(targets.uri());
  if (!made.is_live() || given.catalog_uri || targets.are_mongos()) return made;
  return text::failure(
      "Not a mongos, so nothing is sharded there; pass --catalog FILE or preset:NAME");
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

/// One run of a command behind a proxy.
class gate_run {
 public:
  gate_run(const gate_flags& given, const known_repository& repository,
           baseline_check& baseline)
      : given_(given), repository_(repository), baseline_(baseline) {}

  int status() {
    if (const auto prepared = prepare(); !prepared) return fail("gate", prepared.error());
    const auto started = child_.start(given_.command, targets_.environment(proxy_.bound()));
    if (!started) {
      say(given_.command.front() + ": " + started.error().message());
      return gate_child::status_of(started.error());
    }
    const int status = child_.wait();
    const gate_proxy::facts seen = proxy_.read_facts();
    if (seen.connections == 0) {
      say(given_.command.front() +
          " never connected to the proxy: does it use SCATTERGATE_URI, or "
          "a variable named by --env?");
      return status == 0 ? could_not : status;
    }
    int ours = judge(status == 0);
    if (seen.unread != 0) say(std::to_string(seen.unread) + " messages could not be read");
    if (seen.on_sharded == 0) {
      say("no command was on a collection that " + catalog_name_ +
          " shards: do its namespaces match?");
      if (given_.requires_match) ours = could_not;
    }
    close(status, ours);
    return status == 0 ? ours : status;
  }

 private:
  text::result<void> prepare() {
    if (auto read = targets_.read(given_.variables, given_.upstream); !read) return read;
    if (auto asked = targets_.probe(); !asked) return asked;
    const auto catalog = choose_catalog(given_, targets_);
    if (!catalog) return catalog.error();
    std::optional<net::endpoint> admin;
    if (given_.admin) admin = net::parse_endpoint(*given_.admin);
    catalog_name_ = catalog->source;
    auto listeners = targets_.listeners();
    if (given_.listen) listeners.front().listen = *net::parse_endpoint(*given_.listen);
    return proxy_.start(std::move(listeners), *catalog, admin);
  }

  /// Prints the last line: the result, and what to do.
  void close(int of_command, int ours) const {
    const std::string judged = baseline_.in_words();
    if (of_command != 0) {
      say("FAIL: " + given_.command.front() + " ended with " + std::to_string(of_command) +
          "; fix that first; " + judged);
    } else if (ours == could_not) {
      say("FAIL: " +
          (trouble_ ? to_string(*trouble_)
                    : "the catalog matches none of the commands: fix its namespaces, or pass "
                      "--no-require-match") +
          "; " + judged);
    } else {
      say((ours == 0 ? "PASS: " : "FAIL: ") + judged);
    }
  }

  int judge(bool is_good) {
    digest::table table{most_shapes};
    report::digest_builder builder{proxy_.catalog(), table};
    proxy_.stop(builder);
    int status = 0;
    if (is_good) {  // a failed run may have sent only a part of its traffic
      const auto written = baseline_.write(table);
      if (!written) status = note_trouble(written.error());
    }
    report::report_model model{table, builder.truth(), {}, {}, catalog_name_};
    model.sources.push_back({given_.command.front(), {}, 0, builder.of_source(), {}});
    model.generated_at = std::chrono::system_clock::now();
    model.against = baseline_.compare(table);
    model.parts = &builder.parts();
    model.has_findings_alone = true;
    set_places(model, repository_, catalog_name_, given_.baseline.named());
    if (const auto written = write_report(model, given_); !written)
      status = note_trouble(written.error());
    const auto note = note_on_places(model, given_.format, given_.outputs);
    if (!note.empty()) say(note);
    return status == 0 && baseline_.fails() ? 1 : status;
  }

  int note_trouble(const text::problem& found) {
    trouble_ = found;
    return fail("gate", found);
  }

  const gate_flags& given_;
  const known_repository& repository_;
  baseline_check& baseline_;
  std::optional<text::problem> trouble_;
  gate_child child_;  // constructed before any thread exists
  gate_targets targets_;
  gate_proxy proxy_;
  std::string catalog_name_;
};

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
  std::signal(SIGPIPE, SIG_IGN);
  return gate_run{given, *repository, baseline}.status();
}

}  // namespace scattergate::app
