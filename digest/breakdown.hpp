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

/// What commands add up to by hour, by collection and by who sent them.
namespace scattergate::digest {

/// The sums of one part. Mergeable.
struct part_sums : totals {
  std::chrono::nanoseconds time{0};
  std::uint64_t timed = 0;                 ///< commands whose time is in it
  std::chrono::nanoseconds resolution{0};  ///< the coarsest of the durations

  void count_in(const sighting& seen, routing::routing_class routing);
  void add(const part_sums& other);
  /// Part of a row: `commands` of those that it counts. What isn't known of each of them alone
  /// is left out, unless it is all of them.
  void add(const row& of, std::uint64_t commands);

  friend bool operator==(const part_sums&, const part_sums&) = default;
};

/// Sums by name. At most `most` names apart, those that came first, so that what is said of a
/// name is exact; the rest are one sum. Below that bound adding two is the same as having
/// counted both; all sums together are exact always.
class parts_by_name {
 public:
  static constexpr std::size_t most = 4'096;
  static constexpr std::size_t most_text = 256;  ///< in bytes

  /// The sums of a name, made where there are none: those of the others where there is no room.
  [[nodiscard]] part_sums& of(std::string_view name);
  void add(const parts_by_name& other);

  using part = std::pair<std::string_view, const part_sums*>;
  /// The costliest first: by wasted shard requests, then by commands, then by name.
  [[nodiscard]] std::vector<part> ranked() const;
  [[nodiscard]] const part_sums& others() const noexcept { return others_; }
  /// Where what belongs to no name that is known counts.
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

/// Sums by hour, in UTC: at most `most` hours apart, as parts_by_name keeps names.
class parts_by_hour {
 public:
  using hour = std::chrono::sys_time<std::chrono::hours>;
  static constexpr std::size_t most = 24UL * 366;

  /// The sums of the hour that both times lie in; of the others where there is none.
  [[nodiscard]] part_sums& of(const std::optional<wall_time>& first,
                              const std::optional<wall_time>& last);
  /// Where what belongs to no single hour counts: without a time, or counted over several.
  [[nodiscard]] part_sums& of_others() noexcept { return others_; }
  void add(const parts_by_hour& other);

  [[nodiscard]] const std::map<hour, part_sums>& all() const noexcept { return by_hour_; }
  [[nodiscard]] const part_sums& others() const noexcept { return others_; }

 private:
  [[nodiscard]] part_sums& of_hour(hour when);

  std::map<hour, part_sums> by_hour_;
  part_sums others_;
};

/// All of it, of the same commands. A command that nothing is said of who sent it counts under
/// the empty name.
struct breakdown {
  parts_by_hour by_hour;
  parts_by_name by_collection;
  parts_by_name by_app;
  parts_by_name by_user;
  parts_by_name by_host;

  void count_in(const row& of, const sighting& seen, routing::routing_class routing,
                const caller& who);
  /// What a row has counted. Of a row with several callers, the sums of each have what is known
  /// of it alone.
  void add(const row& of);
  /// The rows of a table, and among the others what it has counted without a row.
  void add(const table& of);
  /// Among the others, what a table has counted without a row.
  void add_rowless(const table& of);
  void add(const breakdown& other);
};

}  // namespace scattergate::digest
