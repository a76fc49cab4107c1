#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

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
  void add(const totals& other);
};

/// The table of shapes: one row for every shape that is judged, findings or not. Exact up to
/// its bound. Beyond it the rows with the smallest counts make room, an eighth of them at a
/// time; a row that comes later says by how much its counts may be too low.
class table {
 public:
  using on_evicted = std::function<void(const row&)>;

  explicit table(std::size_t max_rows, on_evicted evicted = {});

  /// The row of a key, made where there is none: then `is_new` and its description is empty.
  struct place {
    row& of;
    bool is_new;
  };
  [[nodiscard]] place row_of(const row_key& key);

  /// Counts in the row and in the totals.
  void count(row& in, const sighting& seen, routing::routing_class routing);

  /// Adds a whole row of another digest, its counts to the totals too.
  void add(const row& other);
  /// The same as having seen what the other saw, where both are below their bounds.
  void add(const table& other);

  [[nodiscard]] const totals& all() const noexcept { return totals_; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] std::uint64_t evicted_rows() const noexcept { return evicted_rows_; }

  /// The rows by what they cost, the dearest first: see costs_more().
  [[nodiscard]] std::vector<const row*> ranked() const;

 private:
  struct hash {
    std::size_t operator()(const row_key& key) const noexcept;
  };
  struct equal {
    bool operator()(const row_key& a, const row_key& b) const noexcept;
  };

  void make_room();
  [[nodiscard]] row& merge(const row& other);

  std::size_t max_rows_;
  on_evicted evicted_;
  // The keys are views into their rows.
  std::unordered_map<row_key, std::unique_ptr<row>, hash, equal> rows_;
  totals totals_;
  std::uint64_t evicted_rows_ = 0;
  std::uint64_t error_bound_ = 0;  ///< of a row that comes now: the most that one had
};

/// Whether a row is to be shown before another: by wasted shard requests, where none are known
/// by time; what scatters before what doesn't; then by name, so that the order is always the
/// same.
[[nodiscard]] bool costs_more(const row& one, const row& other);

}  // namespace scattergate::digest
