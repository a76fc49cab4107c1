#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "routing/command_kind.hpp"
#include "wire/command.hpp"

/// Finds what mongos can explain of a command.
namespace scattergate::report {

/// A command, or one statement of a batch, that can be explained; or the reason why not.
struct explainable {
  routing::command_kind kind = routing::command_kind::other;
  std::string database;
  std::string collection;

  /// The command with `$db` as one document, without fields that control how it is run
  /// (session, concerns, hint, ...). An update or a delete has one statement. Stages that write
  /// are removed from a pipeline, so nothing that could write is ever sent.
  std::vector<std::byte> command;

  /// `command` without joins, to be judged in its place: set if the plan doesn't cover the
  /// other collections of a pipeline. Empty: judge `command`.
  std::vector<std::byte> without_joins;

  std::string why_not;  ///< empty if it can be explained

  /// The command whose verdict the plan can be compared with.
  [[nodiscard]] const std::vector<std::byte>& judged() const noexcept {
    return without_joins.empty() ? command : without_joins;
  }
};

/// The most statements of a batch that explainables_of() returns. If a batch has more, one
/// further entry with a `why_not` stands for the rest.
inline constexpr std::size_t most_statements = 100;

/// The explainable parts of a command; one if it isn't a batch. Never empty.
[[nodiscard]] std::vector<explainable> explainables_of(const wire::command& command);

/// The request to send to the command's database: {explain: {...}, verbosity: "queryPlanner",
/// comment, maxTimeMS}. REQUIRES: why_not is empty.
[[nodiscard]] std::vector<std::byte> explain_request(const explainable& what);

}  // namespace scattergate::report
