#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// The selected part of the sources; by default everything.
struct choice {
  std::optional<digest::wall_time> since;  ///< inclusive
  std::optional<digest::wall_time> until;  ///< exclusive
  std::string name_space;                  ///< a glob; empty: all
  bool is_judged = false;                  ///< only what scattergate has judged

  /// Whether the selection excludes anything by time or namespace.
  [[nodiscard]] bool is_part() const noexcept { return since || until || !name_space.empty(); }
};

/// Passes on the selected part, and counts the rest as skipped. A command's time is the
/// one in the source: its end in logs, its beginning in captures and recordings. Several
/// commands that a source counts together (an audit line, a stored row) are passed on as a
/// whole if any of them may be selected.
class selection final : public observer {
 public:
  selection(const choice& asked, observer& to) : choice_(asked), to_(to) {}

  void on_command(const observation& seen) override;
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  void on_request_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override { to_.on_skipped(why); }

  /// Number of entries passed on that are partly outside the selected time.
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
