#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/selection.hpp"
#include "report/views/report_model.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Rows of a digest: beyond it those with the fewest commands make room.
inline constexpr std::size_t max_rows = 20'000;

/// The path of a file to read, or why there is none, at the path.
using named_file = text::result<std::string>;

/// What the user named: files and daemons as they are; a folder is the files in it and in those
/// below it, in the order of their names. What else lies there is told, one line for a folder.
[[nodiscard]] std::vector<named_file> files_of(const std::vector<std::string>& sources);

/// How a source is read, and what of it is wanted.
struct reading {
  std::optional<report::source_kind> as;  ///< nothing: told by its content
  report::choice wanted{};
  admin_guard guard{};  ///< of daemons
  /// By which what a proxy has judged is judged again; null: its verdicts stand.
  std::shared_ptr<const routing::catalog> judged_by{};
};

/// Reads one, a file or a daemon, to its end or until `goes_on` says no; tells how that went.
[[nodiscard]] report::source_facts read_source(const named_file& file, const reading& how,
                                               report::digest_builder& into,
                                               const std::function<bool()>& goes_on);

}  // namespace scattergate::app
