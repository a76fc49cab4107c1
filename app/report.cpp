#include "app/report.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "app/catalog_source.hpp"
#include "app/read_report.hpp"
#include "app/report_output.hpp"
#include "app/report_sources.hpp"
#include "app/terminal.hpp"
#include "app/told_instant.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/text/scalars.hpp"

namespace scattergate::app {
namespace {

constexpr int could_not = 2;

volatile std::sig_atomic_t was_interrupted = 0;

int fail(const std::string& why) {
  write_line(stderr, "scattergate report: " + why);
  return could_not;
}

bool goes_on() {
  return was_interrupted == 0;
}

/// A report, or a comparison of two.
template <typename Model>
int write_all(const Model& model, const report_flags& given) {
  int status = 0;
  for (const std::string& path : write_files(model, given.outputs)) {
    status = fail(path + ": can't be written");
  }
  if (given.outputs.empty() || given.format) {
    const format as = given.format ? *format_named(*given.format) : format::text;
    write_view(std::cout, model, as, style_of_terminal(STDOUT_FILENO));
    std::cout.flush();
    if (!std::cout) status = fail("the report can't be written");
  }
  return status;
}

/// Reads a flag that may not be given; what is wrong with it, or nothing.
template <typename Value, typename Parse>
std::string read_flag(const std::optional<std::string>& text, std::optional<Value>& to,
                      Parse parse, std::string_view wanted) {
  if (!text) return {};
  to = parse(*text);
  return to ? std::string{} : std::string{wanted} + " is wanted, not '" + *text + "'";
}

/// What the flags say of what is wanted, and how much of it.
struct chosen {
  report::choice what;
  std::optional<std::uint64_t> top;
};

std::string read_choice(const report_flags& given, chosen& to) {
  const auto instant = [now = std::chrono::system_clock::now()](std::string_view text) {
    return instant_of(text, now);
  };
  const std::string time =
      "a time such as 2026-11-22T08:00:00Z, a day, or how long ago, such as 24h,";
  to.what.name_space = given.name_space;
  to.what.is_judged = given.catalog.empty();
  for (const std::string& why :
       {read_flag(given.top, to.top, config::parse_count, "--top: a number"),
        read_flag(given.since, to.what.since, instant, "--since: " + time),
        read_flag(given.until, to.what.until, instant, "--until: " + time)}) {
    if (!why.empty()) return why;
  }
  if (!to.what.is_part() || !given.baseline.write) return {};
  return "--write-baseline accepts what all of the sources tell: not with --since, --until or "
         "--namespace";
}

/// Where a comparison can't be made as it is asked for.
std::string why_not_compared(const report_flags& given) {
  if (given.sources.size() != 2) return "--compare takes two sources: OLD and NEW";
  const baseline_flags& baseline = given.baseline;
  if (baseline.file || baseline.write || baseline.fail_on) {
    return "--compare: not with --baseline, --write-baseline or --fail-on";
  }
  return given.by ? "--compare: not with --by" : "";
}

std::string why_refused(const report_flags& given) {
  if (given.as && !report::kind_named(*given.as)) {
    return "--as: not a kind of source: '" + *given.as + "'";
  }
  if (given.by && !digest::ranking_named(*given.by)) {
    return "--by: one of " + std::string{digest::ranking_names} + " is wanted, not '" +
           *given.by + "'";
  }
  const std::string why = given.compare ? why_not_compared(given) : std::string{};
  if (!why.empty()) return why;
  return why_no_view(given.format, given.outputs, given.compare);
}

/// Reads the two sources, and says what changed from the first to the second.
int compare(const report_flags& given, const std::shared_ptr<const routing::catalog>& catalog,
            const reading& how, std::optional<std::size_t> top) {
  read_report before{catalog, given.catalog};
  read_report after{catalog, given.catalog};
  before.read({given.sources[0]}, how, goes_on);
  if (goes_on()) after.read({given.sources[1]}, how, goes_on);
  const report::shape_changes changes{before.model().shown(), after.model().shown()};
  const report::compare_model model{before.model(), after.model(), changes,
                                    std::chrono::system_clock::now(), top};
  int status = write_all(model, given);
  for (const read_report* const side : {&before, &after}) {
    for (const std::string& problem : side->problems()) status = fail(problem);
  }
  return status;
}

}  // namespace

int report(const report_flags& given) {
  if (const std::string why = why_refused(given); !why.empty()) return fail(why);
  chosen wanted;
  if (const std::string why = read_choice(given, wanted); !why.empty()) return fail(why);
  const admin_guard guard = read_guard(given.guard);
  if (!guard.error.empty()) return fail(guard.error);
  baseline_check baseline{given.baseline, report::fail_on::never};
  if (const auto wrong = baseline.load(); !wrong.empty()) {
    for (const std::string& problem : wrong) fail(problem);
    return could_not;
  }
  catalog_source source{given.catalog, given.catalog_uri.value_or(""), "scattergate-report"};
  const auto catalog = source.load();
  if (!catalog) {
    for (const std::string& problem : source.problems()) fail(problem);
    return could_not;
  }
  std::signal(SIGINT, [](int) { was_interrupted = 1; });
  const auto as = given.as ? report::kind_named(*given.as) : std::nullopt;
  const reading how{as, wanted.what, guard, given.catalog.empty() ? nullptr : catalog};
  if (given.compare) return compare(given, catalog, how, wanted.top);
  read_report read{catalog, given.catalog};
  read.read(given.sources, how, goes_on);
  report::report_model& model = read.model();
  if (given.by) model.by = *digest::ranking_named(*given.by);
  model.top = wanted.top;
  int status = 0;
  if (const std::string wrong = baseline.write(read.table()); !wrong.empty()) {
    status = fail(wrong);
  }
  model.against = baseline.compare(read.table());
  set_places(model, given.catalog);
  status = std::max(status, write_all(model, given));
  for (const std::string& problem : read.problems()) status = fail(problem);
  return status == 0 && baseline.fails() ? 1 : status;
}

}  // namespace scattergate::app
