#include "app/report_sources.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <unistd.h>

#include "app/daemon_source.hpp"
#include "config/driver/connection_string.hpp"
#include "config/driver/proxied_uri.hpp"
#include "config/options/options.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/scalars.hpp"
#include "fleet/reading.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/source.hpp"
#include "routing/shape/shape.hpp"
#include "text/percent.hpp"
#include "text/printable.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::app {
namespace {

volatile std::sig_atomic_t was_interrupted = 0;

using std::chrono::milliseconds;
using instant = std::chrono::system_clock::time_point;

/// Parses a time such as 2026-11-22T08:00:00Z (with any zone; without one, UTC), a day such as
/// 2026-11-22 (the start of the day in UTC), or an age such as 90m, 24h or 7d (back from
/// `now`). std::nullopt for any other form.
std::optional<instant> instant_of(std::string_view text, instant now) {
  if (const auto day = text::parse_day(text)) return std::chrono::sys_days{*day};
  for (const char* zone : {"", "Z"}) {
    if (const auto millis = config::parse_time(std::string{text} + zone)) {
      return instant{milliseconds{*millis}};
    }
  }
  if (text.ends_with('d')) {
    constexpr std::uint64_t most_days = 36'500;
    const auto days = config::parse_count(text.substr(0, text.size() - 1));
    if (!days || *days > most_days) return std::nullopt;
    return now - std::chrono::days{*days};
  }
  if (const auto ago = config::parse_duration(text)) return now - *ago;
  return std::nullopt;
}

constexpr std::chrono::milliseconds fleet_patience{30'000};
constexpr fleet::reading_bounds report_bounds{.documents = 10'000'000,
                                              .read_bytes = std::size_t{8} << 30,
                                              .kept_bytes = std::size_t{512} << 20};

std::string database_in(const config::uri_parts& parts) {
  const std::string name =
      text::percent_decoded(parts.database.empty() ? "" : parts.database.substr(1));
  return name.empty() ? config::fleet_options{}.database : name;
}

/// Reads the digest of a fleet: the table of shapes and counts that its sidecars have added up
/// in a database. `uri`: the database's connection string, such as `mongodb://HOST/DATABASE`;
/// without DATABASE, `scattergate`. Keeps at most `max_rows` rows. Returns a problem if the
/// database can't be read.
text::result<fleet::fleet_digest> read_fleet(const std::string& uri, std::size_t max_rows) {
  const auto parts = config::parse_uri(uri);
  if (!parts) return parts.error();
  auto opened = fleet::database::open(uri, database_in(*parts), fleet_patience);
  if (!opened) return text::failure(opened.error().text);
  auto read = fleet::read_digest(**opened, max_rows, report_bounds);
  if (!read) return text::failure(read.error().text);
  return *std::move(read);
}

/// Shows on standard error how much of a file has been read. Shows nothing in the first second
/// after construction. Never shows anything if standard error isn't a terminal. The destructor
/// erases the bar.
class progress_bar {
 public:
  /// `name`: the file's name, which the bar shows.
  explicit progress_bar(std::string name);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Updates the bar: `done` of `total` bytes have been read. `total`: 0 if the size is
  /// unknown. Call it as often as you like: the bar changes at most every 200 ms.
  void show(std::uint64_t done, std::uint64_t total);

 private:
  using clock = std::chrono::steady_clock;

  std::string name_;
  bool is_terminal_;
  bool is_shown_ = false;
  clock::time_point began_ = clock::now();
  clock::time_point shown_ = began_;
};

constexpr std::chrono::seconds shown_after{1};
constexpr std::chrono::milliseconds between{200};
constexpr double mib = 1024.0 * 1024.0;

progress_bar::progress_bar(std::string name)
    : name_(text::printable(name)), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

progress_bar::~progress_bar() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void progress_bar::show(std::uint64_t done, std::uint64_t total) {
  if (!is_terminal_) return;
  const auto now = clock::now();
  if (now - began_ < shown_after || now - shown_ < between) return;
  shown_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double read = static_cast<double>(done);
  const double rate = read / seconds;
  std::fprintf(stderr, "\r\033[K%s  %.0f MiB", name_.c_str(), read / mib);
  if (total != 0) {
    std::fprintf(stderr, " of %.0f (%.0f %%)", static_cast<double>(total) / mib,
                 100 * read / static_cast<double>(total));
  }
  std::fprintf(stderr, ", %.0f MiB/s", rate / mib);
  if (total > done && rate > 0) {
    std::fprintf(stderr, ", %.0f s left", static_cast<double>(total - done) / rate);
  }
  std::fflush(stderr);
}

namespace fs = std::filesystem;

/// The maximum depth of nested folders; deeper ones are reported, not read.
constexpr int most_levels = 32;

/// Adds the files below a folder. Doesn't follow links to folders, which may be cyclic.
void add_folder(const fs::path& folder, int level, std::vector<named_file>& to) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  fs::directory_iterator inside{folder, error};
  for (; !error && inside != fs::directory_iterator{}; inside.increment(error)) {
    entries.push_back(*inside);
  }
  if (error) to.push_back(text::problem{folder, error.message()});
  std::sort(entries.begin(), entries.end());
  std::size_t others = 0;
  for (const fs::directory_entry& one : entries) {
    std::error_code unknown;
    if (one.is_regular_file(unknown)) {
      to.push_back(one.path().string());
    } else if (one.is_directory(unknown) && !one.is_symlink(unknown) && level < most_levels) {
      add_folder(one.path(), level + 1, to);
    } else {
      ++others;
    }
  }
  if (others != 0) {
    to.push_back(text::problem{
        folder, "skipped, because they are not files: " + std::to_string(others)});
  }
}

/// Notes whether a file that was read without error was empty, and whether it was still
/// growing.
void note_contents(const report::input& from, report::source_facts& facts) {
  const auto& skipped = facts.tally.skipped;
  const auto count = [&](report::skip_reason why) {
    return skipped[static_cast<std::size_t>(why)];
  };
  const std::uint64_t strange =
      count(report::skip_reason::unreadable) + count(report::skip_reason::too_long);
  const auto all = std::accumulate(skipped.begin(), skipped.end(), facts.tally.observations);
  if (facts.bytes == 0) facts.note = "empty";
  if (count(report::skip_reason::not_judged) != 0) {
    facts.problem = text::failure("judging commands needs a catalog: pass --catalog");
  }
  if (strange != 0 && strange == all) {
    facts.kind = report::source_kind::unknown;
    facts.problem = text::failure("it contains no log line, document or command");
  }
  if (const std::uint64_t more = from.grown_bytes(); more != 0) {
    facts.note = "it grew while being read: later lines are not in the report, " +
                 std::to_string(more) + " bytes";
  }
}

void add_note(const std::string& text, report::source_facts& facts) {
  facts.note += (facts.note.empty() ? "" : "; ") + text;
}

/// Notes that a capture lacks packets.
void note_missing(double share, report::source_facts& facts) {
  if (facts.kind != report::source_kind::pcap) return;
  facts.missing_share = share;
  if (share <= 0) return;
  constexpr double whole_percents = 10;
  constexpr double least_shown = 0.1;
  const double percent = std::max(100 * share, least_shown);
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), percent < whole_percents ? "%.1f" : "%.0f", percent);
  add_note("capture incomplete: about " + std::string{text.data()} + " % missing", facts);
}

/// Notes how many counts may include commands outside of the requested time.
void note_partial_counts(const report::selection& selected, report::source_facts& facts) {
  if (selected.partly_selected() == 0) return;
  add_note(std::to_string(selected.partly_selected()) +
               " of the counts may be outside of the requested time",
           facts);
}

/// A note about the shapes that could not be judged again.
std::string note_of_kept(const std::vector<std::uint64_t>& hashes) {
  constexpr std::size_t most_named = 5;
  std::string text =
      std::to_string(hashes.size()) + (hashes.size() == 1 ? " shape keeps" : " shapes keep") +
      " the source's verdict, because --catalog can't judge them by shape only: ";
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i == most_named) return text + ", ...";
    text += (i == 0 ? "" : ", ") + routing::shape_hash_text(hashes[i]);
  }
  return text;
}

/// Receives a source's commands and rows: the digest builder, or an observer that judges rows
/// again and passes them on to the builder.
class observers {
 public:
  observers(const reading& how, report::digest_builder& into) : into_(into) {
    if (how.judged_by != nullptr) again_.emplace(how.judged_by, into);
  }
  [[nodiscard]] report::observer& first() {
    return again_ ? static_cast<report::observer&>(*again_) : into_;
  }
  void note_kept_verdicts(report::source_facts& facts) const {
    if (!again_ || again_->kept().empty()) return;
    facts.verdicts_kept.assign(again_->kept().begin(), again_->kept().end());
    add_note(note_of_kept(facts.verdicts_kept), facts);
  }

 private:
  report::digest_builder& into_;
  std::optional<report::rejudging_observer> again_;
};

/// Passes on a source's sketches if the whole period is requested. Sketches have no times, so a
/// part of the period can't be selected.
void keep_sketches(std::optional<digest::sketch_set>& of, const reading& how) {
  const bool is_all = !how.filter.since && !how.filter.until;
  if (of && how.sketches != nullptr && is_all) how.sketches->add(*std::move(of));
}

report::source_facts ask_daemon(const std::string& url, const reading& how,
                                report::digest_builder& into) {
  report::source_facts facts;
  facts.name = url;
  facts.kind = report::source_kind::state;
  into.next_source();
  auto answer = read_daemon(url, how.credentials, max_rows);
  observers behind{how, into};
  report::selection selected{how.filter, behind.first()};
  if (answer) {
    selected.on_digest(answer->rows);
    keep_sketches(answer->sketches, how);
    facts.bytes = answer->bytes;
    facts.problem = answer->end;
  } else {
    facts.problem = answer.error();
  }
  note_partial_counts(selected, facts);
  behind.note_kept_verdicts(facts);
  facts.tally = into.of_source();
  return facts;
}

report::source_facts ask_fleet(const std::string& uri, const reading& how,
                               report::digest_builder& into) {
  report::source_facts facts;
  facts.name = config::hide_password(uri);
  facts.kind = report::source_kind::state;
  into.next_source();
  const auto answer = read_fleet(uri, max_rows);
  observers behind{how, into};
  report::selection selected{how.filter, behind.first()};
  if (!answer) {
    facts.problem = answer.error();
  } else {
    selected.on_digest(answer->rows);
    if (answer->documents == 0) facts.note = "empty";
    if (answer->incomplete) {
      facts.problem = answer->incomplete;
    } else if (answer->why) {
      facts.problem = text::failure(std::to_string(answer->unreadable) +
                                    " documents can't be read: " + to_string(*answer->why));
    }
  }
  note_partial_counts(selected, facts);
  behind.note_kept_verdicts(facts);
  facts.tally = into.of_source();
  return facts;
}

}  // namespace

void catch_interruption() {
  std::signal(SIGINT, [](int) { was_interrupted = 1; });
}

bool goes_on() noexcept {
  return was_interrupted == 0;
}

advise::input_gaps gaps_of(const report::report_model& model) {
  advise::input_gaps made;
  made.evicted_rows = model.table.evicted_rows();
  for (const report::source_facts& one : model.sources) {
    const auto skipped = [&](report::skip_reason why) {
      return one.tally.skipped[static_cast<std::size_t>(why)];
    };
    made.is_findings_only |= one.kind == report::source_kind::audit;
    made.has_fleet |= config::is_mongo_uri(one.name);
    made.truncated += skipped(report::skip_reason::truncated);
    made.redacted += skipped(report::skip_reason::redacted);
    if (one.threshold) made.threshold = one.threshold;
  }
  return made;
}

text::result<std::optional<report::source_kind>> read_kind(
    const std::optional<std::string>& text) {
  if (!text) return std::optional<report::source_kind>{};
  const auto kind = report::kind_named(*text);
  if (!kind) return text::problem{"--as", "not a kind of source: '" + *text + "'"};
  return std::optional{*kind};
}

text::result<report::choice> read_window(const std::optional<std::string>& since,
                                         const std::optional<std::string>& until) {
  report::choice made;
  const auto now = std::chrono::system_clock::now();
  for (const auto& [flag, text, to] : {std::tuple{"--since", &since, &made.since},
                                       std::tuple{"--until", &until, &made.until}}) {
    if (!*text) continue;
    *to = instant_of(**text, now);
    if (*to) continue;
    return text::failure(
        std::string{flag} +
        ": expected a time such as 2026-11-22T08:00:00Z, a day, or an age such "
        "as 24h, not '" +
        **text + "'");
  }
  return made;
}

read_report::read_report(std::shared_ptr<const routing::catalog> catalog,
                         const std::string& catalog_name)
    : builder_(std::move(catalog), table_),
      model_{table_, builder_.truth(), {}, {}, catalog_name} {
  model_.shard_requests = &builder_.shard_requests();
  model_.parts = &builder_.parts();
  model_.request_parts = &builder_.request_parts();
}

void read_report::read(const std::vector<std::string>& sources, const reading& how,
                       const std::function<bool()>& goes_on) {
  for (const named_file& file : files_of(sources)) {
    model_.sources.push_back(read_source(file, how, builder_, goes_on));
    if (!goes_on()) break;
  }
  model_.generated_at = std::chrono::system_clock::now();
}

std::vector<text::problem> read_report::problems() const {
  std::vector<text::problem> found;
  for (const report::source_facts& one : model_.sources) {
    if (one.problem) found.push_back(report::problem_of(one));
  }
  return found;
}

std::vector<named_file> files_of(const std::vector<std::string>& sources) {
  std::vector<named_file> files;
  for (const std::string& one : sources) {
    std::error_code error;
    if (!fs::is_directory(one, error)) {
      files.emplace_back(one);
      continue;
    }
    const std::size_t before = files.size();
    add_folder(one, 0, files);
    if (files.size() == before) files.push_back(text::problem{one, "it contains no files"});
  }
  return files;
}

report::source_facts read_source(const named_file& file, const reading& how,
                                 report::digest_builder& into,
                                 const std::function<bool()>& goes_on) {
  report::source_facts facts;
  if (!file) {
    facts.name = file.error().where;
    facts.problem = text::failure(file.error().what);
    return facts;
  }
  if (config::is_mongo_uri(*file)) return ask_fleet(*file, how, into);
  if (is_url(*file)) return ask_daemon(*file, how, into);
  facts.name = *file;
  into.next_source();
  report::input from{*file};
  report::source source{from, how.as};
  observers behind{how, into};
  report::selection selected{how.filter, behind.first()};
  progress_bar bar{*file};
  if (!from.problem()) {
    source.read(selected, [&](const report::input& at) {
      bar.show(at.bytes_read(), at.size());
      return goes_on();
    });
  }
  keep_sketches(source.sketches(), how);
  facts.kind = source.kind();
  facts.bytes = from.bytes_read();
  facts.tally = into.of_source();
  const bool is_growing = from.grown_bytes() != 0;  // the file's last record may be incomplete
  if (!goes_on()) {
    facts.problem = text::failure("interrupted");
  } else if (from.problem()) {
    facts.problem = from.problem();
  } else if (!is_growing) {
    facts.problem = source.end().problem;
  }
  if (!facts.problem) note_contents(from, facts);
  note_missing(source.end().missing_share, facts);
  facts.threshold = source.end().threshold;
  if (const auto threshold = facts.threshold) {
    add_note("only commands slower than " + std::to_string(threshold->count()) + " ms", facts);
  }
  note_partial_counts(selected, facts);
  behind.note_kept_verdicts(facts);
  return facts;
}

}  // namespace scattergate::app
