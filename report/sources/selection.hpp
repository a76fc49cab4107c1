#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// The part of the sources that the user selects; by default everything.
struct choice {
  std::optional<digest::wall_time> since;  ///< inclusive
  std::optional<digest::wall_time> until;  ///< exclusive
  std::string name_space;                  ///< a glob; empty: all
  bool is_judged = false;  ///< select only results that scattergate has judged already

  /// Whether the selection excludes anything by time or namespace.
  [[nodiscard]] bool is_part() const noexcept { return since || until || !name_space.empty(); }
};

/// Passes the selected commands to another observer, which counts all others as skipped. Logs
/// have the time when a command ended; captures and recordings have the time when it began.
/// Some sources count commands together, such as an audit line or a row of a digest. These are
/// all passed on if any of them may be selected.
class selection final : public observer {
 public:
  /// Both arguments must outlive this object.
  selection(const choice& asked, observer& to) : choice_(asked), to_(to) {}

  void on_command(const observation& seen) override;
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  void on_request_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override { to_.on_skipped(why); }

  /// The number of audit lines, rows and other counts that were passed on although they are
  /// partly outside the selected time.
  [[nodiscard]] std::uint64_t partly_selected() const noexcept { return partly_; }

 private:
  using time = std::optional<digest::wall_time>;
  [[nodiscard]] std::optional<skip_reason> why_skipped(const time& first, const time& last);
  [[nodiscard]] std::optional<skip_reason> why_skipped(const digest::row& judged);
  [[nodiscard]] bool is_of_other_namespace(std::string_view name_space) const;
  [[nodiscard]] bool is_of_other_namespace(const observation& seen) const;

  const choice& choice_;
  observer& to_;
  std::uint64_t partly_ = 0;
};

}  // namespace scattergate::report
