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

/// Sums of commands by hour, by collection and by sender (application, user and host), for
/// reports.
namespace scattergate::digest {

/// The sums of one part of the traffic, such as the commands of an hour or of a sender.
struct part_sums : totals {
  std::chrono::nanoseconds time{0};        ///< the sum of all known durations
  std::uint64_t timed = 0;                 ///< commands with a known duration
  std::chrono::nanoseconds resolution{0};  ///< the coarsest resolution of a duration

  /// Counts a sighting (one observed command, or several that a source counts together) with
  /// the class `routing`.
  void count_in(const sighting& seen, routing::routing_class routing);
  /// Adds the sums of another source.
  void add(const part_sums& other);
  /// Adds the counts of as many of a row's commands as `commands` says. (A row is a shape with
  /// its counts.) If the row has more commands, it doesn't tell them apart. Then their class is
  /// counted only if all of the row's commands have the same class, and their fan-out only if
  /// all have the same fan-out. Their errors, times and durations are omitted.
  void add(const row& of, std::uint64_t commands);

  friend bool operator==(const part_sums&, const part_sums&) = default;
};

/// Sums by name, such as a collection or a user. The first `most` names have exact sums of
/// their own; all other names share one part_sums. The total over all is always exact.
class parts_by_name {
 public:
  /// The most names with sums of their own.
  static constexpr std::size_t most = 4'096;
  static constexpr std::size_t most_text = 256;  ///< the maximum size of a name in bytes;
                                                 ///< longer names are truncated

  /// The sums of a name, to add to. Creates them for a new name. If there are `most` names
  /// already, returns the shared sums.
  [[nodiscard]] part_sums& of(std::string_view name);
  /// Adds the sums of another source, name by name.
  void add(const parts_by_name& other);

  /// A name and its sums; a view.
  using part = std::pair<std::string_view, const part_sums*>;
  /// The names with sums of their own, the most expensive first: by wasted shard requests
  /// (those beyond the first of each command), then commands, then name.
  [[nodiscard]] std::vector<part> ranked() const;
  /// The shared sums.
  [[nodiscard]] const part_sums& others() const noexcept { return others_; }
  /// The shared sums, to add commands without a known name.
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
  /// The beginning of an hour, UTC.
  using hour = std::chrono::sys_time<std::chrono::hours>;
  /// The most hours with sums of their own.
  static constexpr std::size_t most = 24UL * 366;

  /// The sums of the hour that contains both times, to add to. Returns the shared sums if a
  /// time is unknown, if the times are in different hours, or if there are `most` hours
  /// already.
  [[nodiscard]] part_sums& of(const std::optional<wall_time>& first,
                              const std::optional<wall_time>& last);
  /// The shared sums, to add commands without a time, or counted together over several hours.
  [[nodiscard]] part_sums& of_others() noexcept { return others_; }
  /// Adds the sums of another source, hour by hour.
  void add(const parts_by_hour& other);

  /// The hours with sums of their own.
  [[nodiscard]] const std::map<hour, part_sums>& all() const noexcept { return by_hour_; }
  /// The shared sums.
  [[nodiscard]] const part_sums& others() const noexcept { return others_; }

 private:
  [[nodiscard]] part_sums& of_hour(hour when);

  std::map<hour, part_sums> by_hour_;
  part_sums others_;
};

/// Sums of a report's commands by hour, by collection and by sender.
struct breakdown {
  parts_by_hour by_hour;
  parts_by_name by_collection;  ///< by namespace, "db.collection"
  parts_by_name by_app;         ///< by the clients' application name
  parts_by_name by_user;        ///< by the authenticated user
  parts_by_name by_host;        ///< by the clients' host

  /// Counts a sighting (one or several observed commands) of the row `of` in all sums.
  /// `routing`: their class. `who`: their sender. If the application, user or host is unknown,
  /// its text is empty, and they count under the empty name.
  void count_in(const row& of, const sighting& seen, routing::routing_class routing,
                const caller& who);
  /// Adds a row's counts. A row has the number of commands of each sender, but one class and
  /// one time range for all: see part_sums::add(). Commands without a known sender count in the
  /// shared sums.
  void add(const row& of);
  /// Adds all rows of a table, and the counts of its commands that have no row (see
  /// add_rowless()).
  void add(const table& of);
  /// Adds the counts of a table's commands that have no row, such as those of evicted rows
  /// (table::rowless()), to the shared sums.
  void add_rowless(const table& of);
  /// Adds the sums of another source.
  void add(const breakdown& other);
};

}  // namespace scattergate::digest
