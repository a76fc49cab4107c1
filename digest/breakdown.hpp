#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "digest/row.hpp"
#include "digest/table.hpp"

/// Sums of commands by hour, by collection and by sender (application, user and host).
namespace scattergate::digest {

/// The sums of one part of the traffic, such as the commands of an hour or of a sender.
/// Mergeable.
struct part_sums : totals {
  std::chrono::nanoseconds time{0};
  std::uint64_t timed = 0;                 ///< commands with a known duration
  std::chrono::nanoseconds resolution{0};  ///< the coarsest resolution of a duration

  void count_in(const sighting& seen, routing::routing_class routing);
  void add(const part_sums& other);
  /// Adds a part of a row: the number `commands` of its commands. If these aren't all, omits
  /// the values that are known only for the whole row.
  void add(const row& of, std::uint64_t commands);

  friend bool operator==(const part_sums&, const part_sums&) = default;
};

/// Sums by name. The first `most` names have exact sums of their own; all other names share one
/// part_sums. The total is always exact, also after merging.
class parts_by_name {
 public:
  /// The most names with sums of their own.
  static constexpr std::size_t most = 4'096;
  static constexpr std::size_t most_text = 256;  ///< longer names are truncated; in bytes

  /// The sums of a name, created if necessary; the shared sums if there is no room.
  [[nodiscard]] part_sums& of(std::string_view name);
  void add(const parts_by_name& other);

  /// A name and its sums; a view.
  using part = std::pair<std::string_view, const part_sums*>;
  /// The names with sums of their own, the most expensive first: by wasted shard requests, then
  /// commands, then name.
  [[nodiscard]] std::vector<part> ranked() const;
  [[nodiscard]] const part_sums& others() const noexcept { return others_; }
  /// The shared sums, to count commands without a known name.
  [[nodiscard]] part_sums& of_others() noexcept { return others_; }

 private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>{}(name);
    }
  };
  std::unordered_map<std::string, part_sums, hash, std::equal_to<>> by_name_;
  part_sums others_;
};

/// Sums by hour (UTC). The first `most` hours have sums of their own; all other commands share
/// one part_sums.
class parts_by_hour {
 public:
  using hour = std::chrono::sys_time<std::chrono::hours>;
  /// The most hours with sums of their own.
  static constexpr std::size_t most = 24UL * 366;

  /// The sums of the hour that contains both times; the shared sums if a time is unknown or if
  /// the times are in different hours.
  [[nodiscard]] part_sums& of(const std::optional<wall_time>& first,
                              const std::optional<wall_time>& last);
  /// The shared sums: commands without a time, or counted together over several hours.
  [[nodiscard]] part_sums& of_others() noexcept { return others_; }
  void add(const parts_by_hour& other);

  /// The hours with sums of their own.
  [[nodiscard]] const std::map<hour, part_sums>& all() const noexcept { return by_hour_; }
  [[nodiscard]] const part_sums& others() const noexcept { return others_; }

 private:
  [[nodiscard]] part_sums& of_hour(hour when);

  std::map<hour, part_sums> by_hour_;
  part_sums others_;
};

/// Sums of a report's commands by hour, by collection and by sender. A command with an unknown
/// sender counts under the empty name.
struct breakdown {
  parts_by_hour by_hour;
  parts_by_name by_collection;
  parts_by_name by_app;
  parts_by_name by_user;
  parts_by_name by_host;

  /// Counts a sighting of the row's commands, sent by `who`.
  void count_in(const row& of, const sighting& seen, routing::routing_class routing,
                const caller& who);
  /// Adds a row's counts. If the row has several callers, each sender gets only the counts that
  /// are known for this sender.
  void add(const row& of);
  /// Adds a table's rows, and adds its table::rowless() counts to the shared sums.
  void add(const table& of);
  /// Adds a table's table::rowless() counts to the shared sums.
  void add_rowless(const table& of);
  void add(const breakdown& other);
};

}  // namespace scattergate::digest
