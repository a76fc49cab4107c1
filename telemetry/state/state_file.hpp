#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "digest/sketches/sketch_set.hpp"
#include "digest/table.hpp"
#include "fleet/stored_ledger.hpp"
#include "telemetry/history/history.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// The file that preserves the daemon's state across restarts (state.file). Contains the digest
/// (digest/stored.hpp), the sketches, if there are any (digest/sketches/stored_sketches.hpp),
/// the history (telemetry/history/history_text.hpp) and the fleet's ledger
/// (fleet/stored_ledger.hpp). Thread-safety: one thread at a time.
class state_file {
 public:
  /// Follows `path` if it is a symbolic link.
  explicit state_file(std::string path);

  struct content {
    digest::table rows;
    std::optional<text::problem> problem{};  ///< why an existing file couldn't be read
    history past{};
    std::optional<text::problem> history_problem{};  ///< why the history couldn't be read; the
                                                     ///< digest is valid
    std::optional<fleet::stored_ledger> ledger{};
    std::optional<text::problem> ledger_problem{};  ///< why the ledger couldn't be read; the
                                                    ///< digest is valid
    std::optional<digest::sketch_set> sketches{};
    std::optional<text::problem> sketches_problem{};  ///< why the sketches couldn't be read
  };

  /// Reads the file. If it is invalid or unreadable, returns an empty table and renames the
  /// file to FILE.corrupt-TIME for inspection.
  [[nodiscard]] content read(std::size_t max_rows);

  /// Replaces the file atomically and durably, with mode 0640. On failure, the old file stays.
  /// `text`: the concatenation of digest::stored_text(), digest::stored_sketches(),
  /// stored_history() and, if there is a ledger, fleet::stored_text().
  [[nodiscard]] text::result<void> write(const std::string& text) const;

  /// The path with symbolic links resolved.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void read_history(std::string_view text, content& to) const;
  void read_ledger(std::string_view text, content& to) const;
  void read_sketches(std::string_view text, content& to) const;
  [[nodiscard]] text::problem set_aside(const text::problem& because) const;

  std::string path_;
};

}  // namespace scattergate::telemetry
