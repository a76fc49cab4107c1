#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "app/admin_address.hpp"
#include "digest/sketches/sketch_set.hpp"
#include "digest/table.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/selection.hpp"
#include "report/views/report_model.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"

/// The sources that `report` and `advise` read (logs, captures, daemons, fleets): the flags
/// about them, reading them into a digest, and what they omit.
namespace scattergate::app {

/// The maximum number of rows in a report's digest (a table with a row per shape of commands).
/// Beyond it, rows with the fewest commands are evicted.
inline constexpr std::size_t max_rows = 20'000;

/// The name of a source to read, or the problem why there is nothing to read.
using named_file = text::result<std::string>;

/// The files of the given sources. Replaces each folder by its files, recursively, sorted by
/// name; returns all other sources unchanged. Skips sockets, links to folders, and folders more
/// than 32 levels deep; for each folder with skipped entries, the result has a problem with
/// their number. A folder without files, or one that can't be read, gives a problem, too.
[[nodiscard]] std::vector<named_file> files_of(const std::vector<std::string>& sources);

/// How to read a source, and which part of it.
struct reading {
  std::optional<report::source_kind> as;  ///< the source's kind; unset: detected
  report::choice filter{};                ///< the part of the source to read
  admin_credentials credentials{};        ///< for daemons
  /// The catalog that replaces verdicts of a proxy: rows that a proxy has judged are judged
  /// again. Null: the proxy's verdicts are kept.
  std::shared_ptr<const routing::catalog> judged_by{};
  /// Receives the sources' sketches (statistics of hashed values). They are ignored if this is
  /// null, or if `filter` limits the time.
  digest::sketch_pool* sketches = nullptr;
};

/// Reads a file, a daemon or a fleet to its end, or until `goes_on` returns false. Adds its
/// commands and rows to `into`. Returns facts about the source; if something couldn't be read,
/// with the problem.
[[nodiscard]] report::source_facts read_source(const named_file& file, const reading& how,
                                               report::digest_builder& into,
                                               const std::function<bool()>& goes_on);

/// Reads the sources of a report (logs, captures, daemons and others) into a digest, and builds
/// the report's model from it. The digest is a table with a row of counts per shape of
/// commands.
class read_report {
 public:
  /// `catalog`: the catalog by which commands are judged; never null. `catalog_name`: its name
  /// in views.
  read_report(std::shared_ptr<const routing::catalog> catalog, const std::string& catalog_name);

  read_report(const read_report&) = delete;
  read_report& operator=(const read_report&) = delete;

  /// Reads files, folders, daemons and fleets, one after the other. Stops when `goes_on`
  /// returns false. A source that can't be read is no error here; see problems().
  void read(const std::vector<std::string>& sources, const reading& how,
            const std::function<bool()>& goes_on);

  /// Makes read() also keep complete commands, as a sample, in `kept`, which must outlive this
  /// object.
  void keep_in(advise::kept_commands& kept) noexcept { builder_.keep_in(kept); }

  /// The digest of the commands.
  [[nodiscard]] const digest::table& table() const noexcept { return table_; }
  /// The model for the report's views. Refers to this object.
  [[nodiscard]] report::report_model& model() noexcept { return model_; }

  /// The problem of each source that could not be read completely.
  [[nodiscard]] std::vector<text::problem> problems() const;

 private:
  digest::table table_{max_rows};
  report::digest_builder builder_;
  report::report_model model_;
};

/// Makes the program survive an interruption (SIGINT, such as from Ctrl-C). From now on, the
/// program must ask goes_on() between steps, and end early if it returns false.
void catch_interruption();

/// Whether there was no interruption since catch_interruption().
[[nodiscard]] bool goes_on() noexcept;

/// What a report's sources omit of the traffic, such as fast commands. The advice on shard keys
/// lists these gaps.
[[nodiscard]] advise::input_gaps gaps_of(const report::report_model& model);

/// Parses `--as`, the kind of the sources; std::nullopt if the flag isn't given. Returns a
/// problem for an unknown kind.
[[nodiscard]] text::result<std::optional<report::source_kind>> read_kind(
    const std::optional<std::string>& text);

/// Parses `--since` and `--until`: a time, a day, or an age (see instant_of()). Sets only these
/// two members of the result. Returns a problem for an invalid text.
[[nodiscard]] text::result<report::choice> read_window(const std::optional<std::string>& since,
                                                       const std::optional<std::string>& until);

}  // namespace scattergate::app
