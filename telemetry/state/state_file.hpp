#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "digest/table.hpp"
#include "telemetry/history/history.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// The file in which the digest outlives the process (state.file; digest/stored.hpp has its
/// form), and behind it the history (telemetry/history/history_text.hpp). Thread-safety: one
/// thread at a time.
class state_file {
 public:
  /// Where `path` is a symbolic link, what it points to is the file.
  explicit state_file(std::string path);

  struct content {
    digest::table rows;
    std::optional<text::problem> problem{};  ///< of a file that is there
    history past{};
    std::optional<text::problem> history_problem{};  ///< of the history, costs nothing else
  };

  /// What was written last. A file that is spoilt, or can't be read, gives an empty table and
  /// is moved aside to FILE.spoilt-TIME, where somebody may look at it.
  [[nodiscard]] content read(std::size_t max_rows);

  /// Replaces the file, with mode 0640, so that there is a whole one whatever happens, on the
  /// disk. Where it can't, the old one stays. `text`: digest::stored_text(), and
  /// stored_history() behind it.
  [[nodiscard]] text::result<void> write(const std::string& text) const;

  /// Where it is, whichever link led there.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void read_history(std::string_view text, content& to) const;
  [[nodiscard]] text::problem set_aside(const text::problem& because) const;

  std::string path_;
};

}  // namespace scattergate::telemetry
