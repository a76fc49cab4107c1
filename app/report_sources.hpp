#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"
#include "digest/sketches/sketch_set.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/selection.hpp"
#include "report/views/report_model.hpp"
#include "text/problem.hpp"

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

}  // namespace scattergate::app
