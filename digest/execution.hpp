#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/label_table.hpp"

namespace scattergate::digest {

/// A proxy's action on a finding (a command that the audit log records). It is the label
/// `action` of the metric scattergate_findings_total, and the member `action` of audit lines.
enum class finding_action : std::uint8_t {
  observed,        ///< only counted and reported
  accepted,        ///< an accept rule matches: raises no alarm
  rejected,        ///< a reject rule matches
  throttled,       ///< a throttle rule matches, which limits the rate of its commands
  would_reject,    ///< a dry-run reject rule matches; counts in addition to the action taken
  would_throttle,  ///< a dry-run throttle rule matches; counts in addition to the action taken
  expired,         ///< observed, because the accept rule that matches has expired
};
/// The number of actions.
inline constexpr std::size_t finding_action_count = wire::enum_count<finding_action>();
/// The action's name in metrics and audit lines.
[[nodiscard]] std::string_view label(finding_action action) noexcept;

/// Counts of a shape's findings by action.
using action_counts = std::array<std::uint64_t, finding_action_count>;

/// Whether there is at least one finding, and rules accepted all of them.
[[nodiscard]] bool are_all_accepted(const action_counts& of) noexcept;

/// The sum and maximum of a number that each command has, such as the documents that it
/// examined.
struct amounts {
  std::uint64_t commands = 0;  ///< number of commands with a value
  std::uint64_t total = 0;     ///< the sum over these commands
  std::uint64_t most = 0;      ///< the maximum over these commands

  /// Counts one command with this value.
  void add(std::uint64_t value) noexcept;
  /// Adds the amounts of other commands.
  void add(const amounts& other) noexcept;

  friend bool operator==(const amounts&, const amounts&) = default;
};

/// Counts commands by a text, such as a plan or an error's name. The first `most` texts have
/// counts of their own, all others share one count. Texts are truncated to `most_text` bytes.
class text_counts {
 public:
  /// The most texts with counts of their own.
  static constexpr std::size_t most = 8;
  static constexpr std::size_t most_text = 256;  ///< the maximum size of a text, in bytes

  /// A text and its count.
  struct counted {
    std::string text;
    std::uint64_t commands;
    friend bool operator==(const counted&, const counted&) = default;
  };

  /// Counts `commands` with this text.
  void add(std::string_view text, std::uint64_t commands);
  /// Adds the counts of other commands.
  void add(const text_counts& other);
  /// Counts commands whose text has no count of its own.
  void add_others(std::uint64_t commands) noexcept { others_ += commands; }

  /// The texts with counts of their own, in order of arrival.
  [[nodiscard]] const std::vector<counted>& all() const noexcept { return counted_; }
  /// The texts with counts of their own, most frequent first. Allocates.
  [[nodiscard]] std::vector<counted> ranked() const;
  /// The commands whose text has no count of its own.
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }
  /// Heap memory in bytes; at most the sum of the bytes() of everything that was added.
  [[nodiscard]] std::size_t bytes() const noexcept;

  friend bool operator==(const text_counts&, const text_counts&) = default;

 private:
  std::vector<counted> counted_;
  std::uint64_t others_ = 0;
};

/// How a shape's commands were executed, and what a proxy did with them. Members that a source
/// doesn't have stay empty.
struct execution {
  amounts docs_examined;    ///< docsExamined
  amounts reply_bytes;      ///< reslen, responseLength
  text_counts plans;        ///< planSummary
  text_counts errors;       ///< MongoDB's error names
  action_counts actions{};  ///< number of findings, by the proxy's action on them
  text_counts accepted_by;  ///< the rules that accepted findings, each as "NAME: WHY"

  /// Adds the statistics of other commands.
  void add(const execution& other);
  /// Heap memory in bytes; at most the sum of the bytes() of everything that was added.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return plans.bytes() + errors.bytes() + accepted_by.bytes();
  }

  friend bool operator==(const execution&, const execution&) = default;
};

}  // namespace scattergate::digest
