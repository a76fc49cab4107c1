#include "app/report.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "advise/advisor.hpp"
#include "app/catalog_source.hpp"
#include "app/report_sources.hpp"
#include "app/terminal.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/text/scalars.hpp"

namespace scattergate::app {
namespace {

int fail_all(const std::vector<text::problem>& problems) {
  for (const text::problem& one : problems) fail("report", one);
  return could_not;
}

/// Writes a report, or a comparison of two reports, to all outputs.
template <typename Model>
int write_all(const Model& model, const report_flags& given) {
  int status = 0;
  for (const std::string& path : write_files(model, given.outputs)) {
    status = fail("report", {path, "can't be written"});
  }
  if (given.outputs.empty() || given.format) {
    const format as = given.format ? *format_named(*given.format) : format::text;
    write_view(std::cout, model, as, style_of_terminal(STDOUT_FILENO));
    std::cout.flush();
    if (!std::cout) status = fail("report", text::failure("the report can't be written"));
  }
  return status;
}

bool writes_html(const report_flags& given) {
  const auto is_html = [](const std::optional<format>& one) { return one == format::html; };
  return (given.format && is_html(format_named(*given.format))) ||
         std::ranges::any_of(given.outputs, [&](const std::string& path) {
           return is_html(format_of_file(path));
         });
}

/// Advice on shard keys as a part of an HTML report. Keeps fewer complete commands than
/// `advise` does.
class advice_beside {
 public:
  /// Computes advice only for an HTML report with a catalog: without a catalog, no keys can be
  /// judged.
  explicit advice_beside(const report_flags& given)
      : is_computed_(writes_html(given) && !given.catalog.empty() && !given.compare) {}

  void begin(read_report& on) {
    if (is_computed_) on.keep_in(kept_);
  }
  void end(read_report& on, const routing::catalog& catalog) {
    if (!is_computed_) return;
    const advise::known_indexes none;
    const advise::evidence evidence{on.table(), catalog, &kept_,
                                    &none,      {},      gaps_of(on.model())};
    made_ = advise::advise(evidence, {});
    on.model().advice = &made_;
  }

 private:
  static constexpr std::size_t most_bytes = 16UL << 20;

  bool is_computed_;
  advise::kept_commands kept_{most_bytes};
  advise::advice made_;
};

/// The selection that the flags ask for.
struct chosen {
  report::choice what;
  std::optional<std::uint64_t> top;
};

text::result<chosen> read_choice(const report_flags& given) {
  chosen made;
  const auto window = read_window(given.since, given.until);
  if (!window) return window.error();
  made.what = *window;
  made.what.name_space = given.name_space;
  made.what.is_judged = given.catalog.empty();
  if (given.top) {
    made.top = config::parse_count(*given.top);
    if (!made.top) return text::failure("expected --top: a number, not '" + *given.top + "'");
  }
  if (!made.what.is_part() || !given.baseline.write) return made;
  return text::failure(
      "--write-baseline accepts all findings of the sources: not with --since, --until or "
      "--namespace");
}

/// Checks the flags of a comparison.
text::result<void> check_comparison(const report_flags& given) {
  if (given.sources.size() != 2) {
    return text::failure("--compare takes two sources: OLD and NEW");
  }
  const baseline_flags& baseline = given.baseline;
  if (baseline.file || baseline.write || baseline.fail_on) {
    return text::problem{"--compare", "not with --baseline, --write-baseline or --fail-on"};
  }
  if (given.by) return text::problem{"--compare", "can't be combined with --by"};
  return {};
}

text::result<void> check_flags(const report_flags& given) {
  if (given.by && !digest::ranking_named(*given.by)) {
    return text::problem{"--by", "expected one of " + std::string{digest::ranking_names} +
                                     ", not '" + *given.by + "'"};
  }
  if (given.compare) {
    if (auto checked = check_comparison(given); !checked) return checked;
  }
  return check_views(given.format, given.outputs, given.compare);
}

/// Reads two sources and reports the changes from the first to the second.
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
    for (const text::problem& one : side->problems()) status = fail("report", one);
  }
  return status;
}

}  // namespace

int report(const report_flags& given) {
  if (const auto checked = check_flags(given); !checked) return fail("report", checked.error());
  const auto as = read_kind(given.as);
  if (!as) return fail("report", as.error());
  const auto choice = read_choice(given);
  if (!choice) return fail("report", choice.error());
  const auto repository = find_repository(given.places, false);
  if (!repository) return fail("report", repository.error());
  const auto credentials = read_admin_credentials(given.credentials);
  if (!credentials) return fail("report", credentials.error());
  baseline_check baseline{given.baseline, report::fail_on::never};
  if (const auto problems = baseline.load(); !problems.empty()) return fail_all(problems);
  catalog_source source{given.catalog, given.catalog_uri.value_or(""), "report"};
  const auto loaded = source.load();
  if (!loaded.problems.empty()) return fail_all(loaded.problems);
  const auto& catalog = loaded.value;
  catch_interruption();
  const reading how{*as, choice->what, *credentials, given.catalog.empty() ? nullptr : catalog};
  if (given.compare) return compare(given, catalog, how, choice->top);
  read_report read{catalog, given.catalog};
  advice_beside keys{given};
  keys.begin(read);
  read.read(given.sources, how, goes_on);
  keys.end(read, *catalog);
  report::report_model& model = read.model();
  if (given.by) model.by = *digest::ranking_named(*given.by);
  model.top = choice->top;
  int status = 0;
  if (const auto written = baseline.write(read.table()); !written) {
    status = fail("report", written.error());
  }
  model.against = baseline.compare(read.table());
  set_places(model, *repository, given.catalog, given.baseline.named());
  status = std::max(status, write_all(model, given));
  if (const auto note = note_on_places(model, given.format, given.outputs); !note.empty()) {
    write_line(stderr, "scattergate report: " + note);
  }
  for (const text::problem& one : read.problems()) status = fail("report", one);
  return status == 0 && baseline.fails() ? 1 : status;
}

}  // namespace scattergate::app
