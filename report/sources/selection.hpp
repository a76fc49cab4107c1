#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// What of the sources is wanted: all of it where nothing is said.
struct choice {
  std::optional<digest::wall_time> since;  ///< from then on
  std::optional<digest::wall_time> until;  ///< before then
  std::string name_space;                  ///< a glob; empty: every one
  bool is_judged = false;                  ///< only what a proxy has judged

  /// Whether it leaves out what another choice would have.
  [[nodiscard]] bool is_part() const noexcept { return since || until || !name_space.empty(); }
};

/// Hands on what is wanted, and counts the rest as skipped. A command is as late as its source
/// says, which is its end in logs and its beginning on the wire; several that a source counts
/// as one, an audit line's or a stored row's, are as one: all of them are taken where a part
/// may be wanted.
class selection final : public observer {
 public:
  selection(const choice& wanted, observer& to) : wanted_(wanted), to_(to) {}

  void on_command(const observation& seen) override;
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  void on_request_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override { to_.on_skipped(why); }

  /// How many were taken that are partly of another time.
  [[nodiscard]] std::uint64_t partly_wanted() const noexcept { return partly_; }

 private:
  using time = std::optional<digest::wall_time>;
  [[nodiscard]] std::optional<skip_reason> why_skipped(const time& first, const time& last);
  [[nodiscard]] std::optional<skip_reason> why_skipped(const digest::row& judged);
  [[nodiscard]] bool is_of_other_namespace(std::string_view name_space) const;
  [[nodiscard]] bool is_of_other_namespace(const observation& seen) const;

  const choice& wanted_;
  observer& to_;
  std::uint64_t partly_ = 0;
};

}  // namespace scattergate::report
