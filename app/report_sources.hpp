#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"
#include "digest/sketches/sketch_pool.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/selection.hpp"
#include "report/views/report_model.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// The maximum number of rows in a digest. Beyond it, rows with the fewest commands are
/// evicted.
inline constexpr std::size_t max_rows = 20'000;

/// The path of a file to read, or a problem at that path.
using named_file = text::result<std::string>;

/// The files of the given sources. A folder is replaced by its files, recursively, sorted by
/// name; all other sources are returned unchanged. For a folder that also contains other
/// things, such as sockets, the result has a problem with their number.
[[nodiscard]] std::vector<named_file> files_of(const std::vector<std::string>& sources);

/// How to read a source, and which part of it.
struct reading {
  std::optional<report::source_kind> as;  ///< unset: detected from its content
  report::choice filter{};
  admin_credentials credentials{};  ///< for daemons
  /// The catalog for judging again what a proxy has judged; null: the proxy's verdicts are
  /// kept.
  std::shared_ptr<const routing::catalog> judged_by{};
  digest::sketch_pool* sketches = nullptr;  ///< receives the sources' sketches; null: they are
                                            ///< ignored
};

/// Reads a file, a daemon or a fleet to its end, or until `goes_on` returns false. Adds the
/// commands and rows to `into`. Returns facts about the source, and the problem if there was
/// one.
[[nodiscard]] report::source_facts read_source(const named_file& file, const reading& how,
                                               report::digest_builder& into,
                                               const std::function<bool()>& goes_on);

}  // namespace scattergate::app
