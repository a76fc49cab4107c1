#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "digest/ranking.hpp"
#include "digest/row.hpp"

namespace scattergate::digest {

/// What all commands add up to, whatever becomes of the rows: exact always.
struct totals {
  std::uint64_t commands = 0;
  std::uint64_t errors = 0;
  std::array<std::uint64_t, routing::routing_class_count> by_routing{};
  shard_requests shards;
  std::optional<wall_time> from;
  std::optional<wall_time> to;

  void count_in(const sighting& seen, routing::routing_class routing);
  void add(const totals& other) noexcept;
  void add(const counts& of_a_shape) noexcept;
  /// Takes away what an earlier state of these had.
  void subtract(const totals& earlier) noexcept;

  friend bool operator==(const totals&, const totals&) = default;
};

/// The table of shapes: one row for every shape that is judged, findings or not. Exact up to
/// its bound. Beyond it the rows with the smallest counts make room, an eighth of them at a
/// time; a row that comes later says by how much its counts may be too low.
class table {
 public:
  /// Must not throw.
  using on_evicted = std::function<void(const row&)>;

  /// How many rows make room at once.
  [[nodiscard]] static std::size_t evicted_at_once(std::size_t max_rows) noexcept;

  explicit table(std::size_t max_rows, on_evicted evicted = {});

  /// The row of a key, made where there is none: then `is_new` and its description is empty.
  struct place {
    row& of;
    bool is_new;
  };
  [[nodiscard]] place row_of(const row_key& key);
  /// The same where there is one, else null.
  [[nodiscard]] const row* find(const row_key& key) const noexcept;

  /// Counts in the row and in the totals.
  void count(row& in, const sighting& seen, routing::routing_class routing);

  /// The same of what several commands added up to: all of it, or, where memory fails it,
  /// nothing.
  void count(row& in, const counts& several);
  /// The same as counts::add_plainly().
  void count_plainly(row& in, const counts& several) noexcept;
  /// Counts in the totals alone: commands that have no row.
  void count_rowless(const counts& several) noexcept { totals_.add(several); }
  void count_rowless(const totals& several) { totals_.add(several); }

  /// Adds a whole row of another digest, and nothing to the totals; where memory fails it, none
  /// of its counts.
  row& merge(const row& other);
  /// The same, and its counts to the totals too.
  void add(const row& other);
  /// The same as having seen what the other saw, where both are below their bounds.
  void add(const table& other);

  /// What it has counted without a row, or in rows that had to make room.
  [[nodiscard]] totals rowless() const noexcept;
  /// Adds what another has beside its rows.
  void add_rowless(const table& other) noexcept;
  /// Takes a row out, and leaves the totals. `key` may be the row's own.
  void remove(const row_key& key) noexcept { rows_.erase(key); }

  /// What came since an earlier state of this one, `mark`: rows in which nothing came are left
  /// out. A row that made room since and came again has all that it counted after that.
  [[nodiscard]] table since(const table& mark) const;

  [[nodiscard]] const totals& all() const noexcept { return totals_; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] std::size_t max_rows() const noexcept { return max_rows_; }
  [[nodiscard]] std::uint64_t evicted_rows() const noexcept { return evicted_rows_; }

  /// So many commands of a row may have gone before, where it comes now.
  [[nodiscard]] std::uint64_t error_bound() const noexcept { return error_bound_; }

  /// Rows of another digest that aren't here: the most that one of them had counted, the error
  /// included.
  void count_evicted(std::uint64_t rows, std::uint64_t most);

  /// Once the rows of a stored table have been added: what stood beside them.
  void restore(const totals& all, std::uint64_t evicted_rows, std::uint64_t error_bound);

  /// The rows in the order in which they are shown.
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
  // The keys are views into their rows.
  std::unordered_map<row_key, std::unique_ptr<row>, hash, equal> rows_;
  totals totals_;
  std::uint64_t evicted_rows_ = 0;
  std::uint64_t error_bound_ = 0;  ///< of a row that comes now: the most that one had
};

}  // namespace scattergate::digest
