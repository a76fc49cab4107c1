#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace scattergate::sim::demo {

/// The target of a command. The collection is empty if the command has none.
struct command_target {
  std::string database;
  std::string collection;
  std::string command;
  auto operator<=>(const command_target&) const = default;
};

/// Counts of commands by kind, as the driver reports them. Thread-safety: one thread; merged
/// after the threads have ended.
class tally {
 public:
  void add(command_target target) { ++counts_[std::move(target)]; }
  void merge(const tally& other);

  [[nodiscard]] std::uint64_t total() const noexcept;
  /// {"total":N,"commands":[{"db":..,"collection":..,"command":..,"count":N},...]}
  [[nodiscard]] std::string to_json() const;

 private:
  std::map<command_target, std::uint64_t> counts_;
};

}  // namespace scattergate::sim::demo
