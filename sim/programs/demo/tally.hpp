#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace scattergate::sim::demo {

/// What a command is counted under: its name, and the database and collection that it names.
struct command_target {
  std::string database;
  std::string collection;  ///< empty: the command names none
  std::string command;
  auto operator<=>(const command_target&) const = default;
};

/// Counts the commands that the driver reports, by command_target. Thread-safety: one thread at
/// a time; merge the tallies of several threads after they have ended.
class tally {
 public:
  /// Counts one command.
  void add(command_target target) { ++counts_[std::move(target)]; }
  /// Adds all counts of `other` to this tally.
  void merge(const tally& other);

  /// The number of all commands.
  [[nodiscard]] std::uint64_t total() const noexcept;
  /// The counts as one line of JSON:
  /// {"total":N,"commands":[{"db":..,"collection":..,"command":..,"count":N},...]}
  [[nodiscard]] std::string to_json() const;

 private:
  std::map<command_target, std::uint64_t> counts_;
};

}  // namespace scattergate::sim::demo
