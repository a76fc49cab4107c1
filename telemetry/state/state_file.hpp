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

/// The file that preserves the daemon's state across restarts (state.file). Contains the
/// digest (counts by query shape; digest/stored.hpp), optionally sketches
/// (digest/sketches/stored_sketches.hpp), the history (telemetry/history/history_text.hpp),
/// and optionally the fleet's ledger (fleet/stored_ledger.hpp). Thread-safety: one thread at a
/// time.
class state_file {
 public:
  /// Resolves symbolic links in `path`. Doesn't read the file.
  explicit state_file(std::string path);

  /// The result of read(). A part that is absent from the file is empty, without a problem.
  struct content {
    digest::table rows;                      ///< the digest: a row per query shape
    std::optional<text::problem> problem{};  ///< why an existing file couldn't be read; empty
                                             ///< if the file was read or doesn't exist
    bool is_damaged = false;                 ///< `problem` is about the file's content
    history past{};                          ///< the collections' counts over the last day
    std::optional<text::problem> history_problem{};   ///< why the history couldn't be read; the
                                                      ///< digest is valid
    std::optional<fleet::stored_ledger> ledger{};     ///< which counts the fleet's database has
    std::optional<text::problem> ledger_problem{};    ///< why the ledger couldn't be read; the
                                                      ///< digest is valid
    std::optional<digest::sketch_set> sketches{};     ///< statistics of fields' values
    std::optional<text::problem> sketches_problem{};  ///< why the sketches couldn't be read;
                                                      ///< the digest is valid
  };

  /// Reads the file, with at most `max_rows` rows. If the file is invalid or unreadable,
  /// returns an empty table with a problem, and renames a regular file to FILE.corrupt-TIME
  /// for inspection. If only a part is invalid, keeps a copy under this name.
  [[nodiscard]] content read(std::size_t max_rows);

  /// As read(), but changes nothing.
  [[nodiscard]] content examine(std::size_t max_rows) const;
  /// Returns the path of the damaged file, or copy, that read() has set aside last, in this
  /// process or an earlier one; empty if there is none since `since`.
  [[nodiscard]] std::string set_aside_since(std::chrono::system_clock::time_point since) const;

  /// Replaces the file atomically and durably, with mode 0640. On failure, returns a problem
  /// and keeps the old file. `text`: the concatenation of digest::stored_text(),
  /// digest::stored_sketches(), stored_history() and, if there is a ledger,
  /// fleet::stored_text().
  [[nodiscard]] text::result<void> write(const std::string& text) const;

  /// The path with symbolic links resolved.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void read_history(std::string_view text, content& to) const;
  void read_ledger(std::string_view text, content& to) const;
  void read_sketches(std::string_view text, content& to) const;
  [[nodiscard]] text::problem set_aside(const text::problem& because) const;
  void keep_copy_of_damaged(const content& found) const;

  std::string path_;
};

}  // namespace scattergate::telemetry
