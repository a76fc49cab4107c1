#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "report/verify/verifier.hpp"
#include "routing/command_kind.hpp"

namespace scattergate::report {

/// Formats the results of `scattergate verify` as text or JSON lines, and counts them by
/// command. A result compares a verdict with mongos's plan.
class verify_report {
 public:
  explicit verify_report(bool as_json) : as_json_(as_json) {}

  /// Counts a check and returns its output, including the newline. As text, empty if the check
  /// agreed or wasn't compared. `place`: where the command was read ("line 12"), or the hash of
  /// the command's shape.
  [[nodiscard]] std::string add(std::string_view place, const explainable& what,
                                const check& done);

  /// Counts a line that isn't a command, and returns its output, including the newline. `why`:
  /// why it isn't a command.
  [[nodiscard]] std::string add_unreadable(std::string_view place, std::string_view why);

  /// The counts of all checks by command. As text, also why commands couldn't be compared.
  [[nodiscard]] std::string summary() const;

  /// The exit status of the program: 1 if any check disagreed; otherwise 2 if any check failed
  /// or any line wasn't a command; otherwise 0.
  [[nodiscard]] int exit_status() const noexcept;

  /// The number of checks with the outcome.
  [[nodiscard]] std::size_t total(outcome which) const noexcept {
    return totals_[static_cast<std::size_t>(which)];
  }

 private:
  using counts = std::array<std::size_t, 4>;  // by outcome

  void count(std::string_view command, const check& done);
  [[nodiscard]] std::string summary_json() const;
  [[nodiscard]] std::string summary_text() const;

  bool as_json_;
  counts totals_{};
  std::size_t unreadable_ = 0;
  std::map<std::string, counts, std::less<>> by_command_;
  std::map<std::string, std::size_t> not_compared_;  // "insert: why"
};

}  // namespace scattergate::report
