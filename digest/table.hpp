#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "digest/row.hpp"

namespace scattergate::digest {

/// The sort order of rows.
enum class ranking : std::uint8_t { cost, time, count, errors, fanout, last_seen };

/// The order's name in command-line flags: "last-seen".
[[nodiscard]] std::string_view label(ranking by) noexcept;
/// The order with this flag name; std::nullopt if there is none.
[[nodiscard]] std::optional<ranking> ranking_named(std::string_view name) noexcept;
/// All flag names, for usage texts.
inline constexpr std::string_view ranking_names = "cost|time|count|errors|fanout|last-seen";

/// Whether `one` sorts before `other`. The row with the greater value of `by` comes first;
/// unknown values come last. Rows with equal values are sorted by cost: first by wasted shard
/// requests, then scatter_gather before other classes, then by total time and by count. Rows of
/// equal cost are sorted by name.
[[nodiscard]] bool ranks_before(ranking by, const row& one, const row& other);

/// Sums over all commands of a table, including the commands of evicted rows. Always exact.
struct totals {
  std::uint64_t commands = 0;  ///< all commands
  std::uint64_t errors = 0;    ///< commands that failed
  std::array<std::uint64_t, routing::routing_class_count> by_routing{};  ///< commands by class
  shard_requests shards;          ///< the shards that the commands asked
  std::optional<wall_time> from;  ///< the time of the first command; empty: unknown
  std::optional<wall_time> to;    ///< the time of the last command; empty: unknown

  /// Counts the commands of a sighting. `routing`: their routing class.
  void count_in(const sighting& seen, routing::routing_class routing);
  /// Adds the totals of other commands.
  void add(const totals& other) noexcept;
  /// Adds the counts of a shape.
  void add(const counts& of_a_shape) noexcept;
  /// Subtracts an earlier state of this object. Sets `from` to earlier.to if that is later.
  void subtract(const totals& earlier) noexcept;

  friend bool operator==(const totals&, const totals&) = default;
};

/// The digest: a table with one row for each judged shape (a command without its values),
/// whether or not it is a finding. Exact up to its size limit. At the limit, evicts an eighth
/// of its rows: those with the smallest counts. A row that is created later may lack the counts
/// of an evicted row of its shape, up to the row's error bound. Thread-safety: one thread at a
/// time.
class table {
 public:
  /// Called with each evicted row. Must not throw.
  using on_evicted = std::function<void(const row&)>;

  /// The number of rows that one eviction removes.
  [[nodiscard]] static std::size_t evicted_at_once(std::size_t max_rows) noexcept;

  /// `max_rows`: the size limit. `evicted`: called for each evicted row; empty: not called.
  explicit table(std::size_t max_rows, on_evicted evicted = {});

  /// A row of the table. If it was just created, `is_new` is true and its description is empty.
  struct place {
    row& of;
    bool is_new;
  };
  /// The row of a key, created if necessary. May evict other rows.
  [[nodiscard]] place row_of(const row_key& key);
  /// The row of a key; null if there is none.
  [[nodiscard]] const row* find(const row_key& key) const noexcept;

  /// Counts a sighting (one or several commands) in the row and in the totals.
  void count(row& in, const sighting& seen, routing::routing_class routing);

  /// Adds counts to the row and the totals. If it throws std::bad_alloc, nothing has changed.
  void count(row& in, const counts& several);
  /// Adds counts to the row and the totals without allocating; see counts::add_plainly().
  void count_plainly(row& in, const counts& several) noexcept;
  /// Adds to the totals the counts of commands that get no row.
  void count_rowless(const counts& several) noexcept { totals_.add(several); }
  /// Adds to the totals the totals of commands that get no row.
  void count_rowless(const totals& several) { totals_.add(several); }

  /// Merges a row of another digest, and returns the merged row. Doesn't change the totals. If
  /// it throws std::bad_alloc, no counts have changed.
  row& merge(const row& other);
  /// Merges a row of another digest, and adds its counts to the totals.
  void add(const row& other);
  /// Merges another table. Exact if neither table has evicted rows and the result is within
  /// this table's limit.
  void add(const table& other);

  /// The totals of the commands that no row counts: those of evicted rows, and those that got
  /// no row.
  [[nodiscard]] totals rowless() const noexcept;
  /// Adds the counts that another table has without a row (its rowless()) to the totals, and
  /// its number of evicted rows and error bound to those of this table.
  void add_rowless(const table& other) noexcept;
  /// Removes a row without changing the totals. `key` may be a view into the row.
  void remove(const row_key& key) noexcept { rows_.erase(key); }

  /// The counts since `mark`, an earlier state of this table, as a table with only the rows
  /// that have new commands. If a row was evicted and created again since `mark`, the result
  /// has the row's counts since it was created again.
  [[nodiscard]] table since(const table& mark) const;

  /// The sums over all commands.
  [[nodiscard]] const totals& all() const noexcept { return totals_; }
  /// The number of rows.
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  /// The size limit.
  [[nodiscard]] std::size_t max_rows() const noexcept { return max_rows_; }
  /// The number of rows that were evicted.
  [[nodiscard]] std::uint64_t evicted_rows() const noexcept { return evicted_rows_; }

  /// The error bound of new rows: a new row's count may be too low by up to this number.
  [[nodiscard]] std::uint64_t error_bound() const noexcept { return error_bound_; }

  /// Takes over the evictions of another digest. `rows`: the number of evicted rows. `most`:
  /// the largest count of an evicted row, including that row's error bound.
  void count_evicted(std::uint64_t rows, std::uint64_t most);

  /// Restores the sums of a stored table after its rows were added.
  void restore(const totals& all, std::uint64_t evicted_rows, std::uint64_t error_bound);

  /// The rows, sorted by `by`. The pointers are valid until a row is removed or evicted.
  [[nodiscard]] std::vector<const row*> ranked(ranking by = ranking::cost) const;

 private:
  struct hash {
    std::size_t operator()(const row_key& key) const noexcept;
  };
  struct equal {
    bool operator()(const row_key& a, const row_key& b) const noexcept;
  };

  void make_room();
  row& take_in(row made);

  std::size_t max_rows_;
  on_evicted evicted_;
  // The keys are views into the rows.
  std::unordered_map<row_key, std::unique_ptr<row>, hash, equal> rows_;
  totals totals_;
  std::uint64_t evicted_rows_ = 0;
  std::uint64_t error_bound_ = 0;  ///< of new rows: the largest evicted count
};

}  // namespace scattergate::digest
