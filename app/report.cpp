#include "app/report.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "app/catalog_source.hpp"
#include "app/report_output.hpp"
#include "app/report_sources.hpp"
#include "app/terminal.hpp"
#include "app/told_instant.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/text/scalars.hpp"
#include "report/sources/digest_builder.hpp"

namespace scattergate::app {
namespace {

constexpr int could_not = 2;

volatile std::sig_atomic_t was_interrupted = 0;

int fail(const std::string& why) {
  write_line(stderr, "scattergate report: " + why);
  return could_not;
}

int write_all(const report::report_model& model, const report_flags& given) {
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

std::string why_refused(const report_flags& given) {
  if (given.as && !report::kind_named(*given.as)) {
    return "--as: not a kind of source: '" + *given.as + "'";
  }
  if (given.by && !digest::ranking_named(*given.by)) {
    return "--by: one of " + std::string{digest::ranking_names} + " is wanted, not '" +
           *given.by + "'";
  }
  return why_no_view(given.format, given.outputs);
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
  digest::table table{max_rows};
  report::digest_builder builder{catalog, table};
  report::report_model model{table, builder.truth(), {}, {}, given.catalog};
  if (given.by) model.by = *digest::ranking_named(*given.by);
  model.top = wanted.top;
  const auto as = given.as ? report::kind_named(*given.as) : std::nullopt;
  for (const named_file& file : files_of(given.sources)) {
    model.sources.push_back(read_source(file, {as, wanted.what, guard}, builder,
                                        [] { return was_interrupted == 0; }));
    if (was_interrupted != 0) break;
  }
  model.shard_requests = &builder.shard_requests();
  model.generated_at = std::chrono::system_clock::now();
  int status = 0;
  if (const std::string wrong = baseline.write(table); !wrong.empty()) status = fail(wrong);
  model.against = baseline.compare(table);
  set_places(model, given.catalog);
  status = std::max(status, write_all(model, given));
  for (const report::source_facts& one : model.sources) {
    if (!one.error.empty()) status = fail(report::problem_text(one));
  }
  return status == 0 && baseline.fails() ? 1 : status;
}

}  // namespace scattergate::app
