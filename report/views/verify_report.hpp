#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "report/verify/verifier.hpp"
#include "routing/command_kind.hpp"

namespace scattergate::report {

/// Formats checks as text or JSON lines, and counts them by command.
class verify_report {
 public:
  explicit verify_report(bool as_json) : as_json_(as_json) {}

  /// The output for a check, including the newline; empty if there is none. `place`: where the
  /// command is ("line 12"), or its shape's hash.
  [[nodiscard]] std::string add(std::string_view place, const explainable& what,
                                const check& done);

  /// The output for a line that isn't a command, including the newline; empty if there is none.
  [[nodiscard]] std::string add_unreadable(std::string_view place, std::string_view why);

  /// The table of counts, and the commands that couldn't be compared.
  [[nodiscard]] std::string summary() const;

  /// 1 if anything disagreed; otherwise 2 if anything failed or wasn't a command; otherwise 0.
  [[nodiscard]] int exit_status() const noexcept;

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
