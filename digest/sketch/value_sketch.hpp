#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "digest/sketch/cardinality.hpp"
#include "digest/sketch/frequent_values.hpp"
#include "digest/sketch/monotonicity.hpp"
#include "digest/sketch/value_hash.hpp"

namespace scattergate::digest {

/// Requests minute by minute, by the commonest value of each minute: what a shard would have to
/// bear that has it. A minute lasts until 100 requests have come, as one of a few requests says
/// nothing. Mergeable; of two sources of the same minutes `hottest` is never too low by that.
struct minute_shares {
  std::uint64_t minutes = 0;
  std::uint64_t requests = 0;  ///< in these
  std::uint64_t hottest = 0;   ///< of these, such that went to their minute's commonest value
  std::uint64_t worst_count = 0;  ///< the same of the minute with the highest share,
  std::uint64_t worst_of = 0;     ///< and the requests of it

  static constexpr std::uint64_t least_requests = 100;

  /// One minute that is over.
  void add(std::uint64_t requests_of_minute, std::uint64_t most_of_one) noexcept;
  void add(const minute_shares& other) noexcept;

  friend bool operator==(const minute_shares&, const minute_shares&) = default;
};

/// What is kept of the values of one field, or of two together, in 4 KiB: hashes, and counts of
/// them. Adding two is the same as having seen both, within the errors that each part states.
class value_sketch {
 public:
  /// `is_field`: of one field, whose order is looked at.
  explicit value_sketch(bool is_field)
      : order_(is_field ? std::make_unique<digest::monotonicity>() : nullptr) {}

  /// Counts a value. `second`: when, in seconds since 1970; 0 where that isn't known.
  void add(std::uint64_t hash, std::int64_t second) noexcept;
  /// The same of a document that is inserted, where only the order is counted.
  void add_inserted(const order_key& value, std::int64_t second) noexcept {
    if (order_) order_->add(value, second);
  }
  void add(const value_sketch& other) noexcept;

  /// Statements that give it one value by equality, and inserted documents.
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }

  struct estimate {
    double values = 0;
    double error = digest::cardinality::error;  ///< one standard error, relative
  };
  /// How many distinct values.
  [[nodiscard]] estimate cardinality() const noexcept { return {distinct_.estimate()}; }

  struct share {
    std::uint64_t hash = 0;
    double share = 0;  ///< of requests(), at least
    double error = 0;  ///< and at most so much more
  };
  /// Of the commonest values, the commonest first, at most frequent_values::capacity.
  [[nodiscard]] std::vector<share> top_shares() const;

  struct minute_maximum {
    double share =
        0;  ///< of the requests, such that went to the commonest value of their minute
    double worst = 0;  ///< the highest such share in one minute
    std::uint64_t minutes = 0;
    std::uint64_t requests = 0;
  };
  /// Nothing where no minute is known in which 100 requests came.
  [[nodiscard]] std::optional<minute_maximum> per_minute_max_share() const noexcept;

  /// How inserted values come. Of two fields together: unknown; their order is the first one's.
  [[nodiscard]] digest::monotonicity::counts monotonicity() const noexcept {
    return order_ ? order_->all() : digest::monotonicity::counts{};
  }

  /// The parts, as they are stored: the minute that goes on is over.
  struct parts {
    std::uint64_t requests = 0;
    digest::cardinality distinct;
    frequent_values common;
    minute_shares minutes;
    digest::monotonicity::counts order;
  };
  [[nodiscard]] parts settled() const noexcept;
  void add(const parts& others) noexcept;

 private:
  void end_minute() noexcept;

  std::uint64_t requests_ = 0;
  digest::cardinality distinct_;
  frequent_values common_;       // of what came before this minute
  frequent_values this_minute_;  // or of all, where no times are known
  std::int64_t minute_ = 0;
  std::uint64_t in_minute_ = 0;  // requests
  minute_shares minutes_;
  std::unique_ptr<digest::monotonicity> order_;  // null: of two fields
};

}  // namespace scattergate::digest
