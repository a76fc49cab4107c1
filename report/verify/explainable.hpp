#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "routing/command_kind.hpp"
#include "wire/command.hpp"

/// Finds the parts of a command that mongos can explain.
namespace scattergate::report {

/// A command, or one statement of a batch, that can be explained; or the reason why not.
struct explainable {
  routing::command_kind kind = routing::command_kind::other;
  std::string database;
  std::string collection;

  /// The command with `$db` as one BSON document, without fields that control how it is run
  /// (session, concerns, hint, ...). An update or a delete has one statement. Pipelines have
  /// no stages that write.
  std::vector<std::byte> command;

  /// `command` with a pipeline that joins no other collections, because mongos's plan doesn't
  /// cover these. The verdict on `without_joins` is compared with the plan. Empty if `command`
  /// has no joins.
  std::vector<std::byte> without_joins;

  std::string why_not;  ///< why mongos can't explain the command; empty if it can

  /// The command to judge for the comparison with the plan.
  [[nodiscard]] const std::vector<std::byte>& judged() const noexcept {
    return without_joins.empty() ? command : without_joins;
  }
};

/// The most statements of a batch that explainables_of() returns. If a batch has more, one
/// further entry with a `why_not` stands for the rest.
inline constexpr std::size_t most_statements = 100;

/// The explainable parts of a command: one for each statement of a batch, one for any other
/// command. If `command` is an explain: the parts of the command inside. Never empty.
[[nodiscard]] std::vector<explainable> explainables_of(const wire::command& command);

/// The request to send to the command's database: {explain: {...}, verbosity: "queryPlanner",
/// comment, maxTimeMS}. REQUIRES: why_not is empty.
[[nodiscard]] std::vector<std::byte> explain_request(const explainable& what);

}  // namespace scattergate::report
