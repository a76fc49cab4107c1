#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "routing/command_kind.hpp"
#include "wire/command.hpp"

/// What of a command mongos can be asked to explain.
namespace scattergate::report {

/// A command, or one statement of a batch, that can be explained; or why it can't.
struct explainable {
  routing::command_kind kind = routing::command_kind::other;
  std::string database;
  std::string collection;

  /// The command without what says how it is run (session, concerns, hint, ...), as one
  /// document with `$db`. An update or a delete has one statement. A pipeline has lost what it
  /// writes to: nothing that could write is ever sent.
  std::vector<std::byte> command;

  /// The same where the plan says nothing of other collections that a pipeline joins: what
  /// judges it must not count them either. Empty: `command` itself.
  std::vector<std::byte> without_joins;

  std::string why_not;  ///< empty where it can be explained

  [[nodiscard]] const std::vector<std::byte>& judged() const noexcept {
    return without_joins.empty() ? command : without_joins;
  }
};

/// Of a batch at most this many statements are told apart; the last entry says how many more
/// there were.
inline constexpr std::size_t most_statements = 100;

/// A command's parts; one for what isn't a batch. Never empty.
[[nodiscard]] std::vector<explainable> explainables_of(const wire::command& command);

/// {explain: {...}, verbosity: "queryPlanner", comment, maxTimeMS}, to be sent to its database.
/// REQUIRES: why_not is empty.
[[nodiscard]] std::vector<std::byte> explain_request(const explainable& what);

}  // namespace scattergate::report
