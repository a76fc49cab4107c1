#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest/sketches/sketched_value.hpp"

namespace scattergate::digest {

/// Estimates the number of distinct values from their hashes. A HyperLogLog (Flajolet, Fusy,
/// Gandouet, Meunier) with Ertl's estimator ("New cardinality estimation algorithms for
/// HyperLogLog sketches"). Mergeable. Thread-safety: one thread at a time.
class cardinality {
 public:
  /// The number of a hash's bits that select the register.
  static constexpr unsigned index_bits = 11;
  /// The number of registers. The estimate's relative standard error is 1.04 / sqrt(size).
  static constexpr std::size_t size = std::size_t{1} << index_bits;

  /// Counts a value by its hash.
  void add(std::uint64_t hash) noexcept {
    const std::size_t at = hash >> (64U - index_bits);
    const auto rank =
        static_cast<std::uint8_t>(std::countl_zero(hash << index_bits | last) + 1);
    if (registers_[at] < rank) registers_[at] = rank;
  }
  /// Merges another sketch. REQUIRES: both have hashes of the same salt.
  void add(const cardinality& other) noexcept;

  /// The estimated number of distinct values.
  [[nodiscard]] double estimate() const noexcept;

  /// Formats the registers as `size` characters.
  [[nodiscard]] std::string text() const;
  /// Parses the output of text(); std::nullopt if it is invalid.
  [[nodiscard]] static std::optional<cardinality> from(std::string_view text);

  friend bool operator==(const cardinality&, const cardinality&) = default;

 private:
  /// Set just below the hash's remaining bits, so that countl_zero() stops there and the rank
  /// is at most max_rank.
  static constexpr std::uint64_t last = std::uint64_t{1} << (index_bits - 1U);
  static constexpr unsigned max_rank = 64U - index_bits + 1U;

  std::array<std::uint8_t, size> registers_{};
};

/// A frequent value. The value was seen between `count - error` and `count` times.
struct common_value {
  std::uint32_t hash_prefix = 0;  ///< the upper half of the value's salted hash
  std::uint64_t count = 0;        ///< at least the number of times that the value was seen
  std::uint64_t error = 0;        ///< how much too high `count` may be

  /// The least number of times that the value was seen.
  [[nodiscard]] std::uint64_t at_least() const noexcept { return count - error; }
  friend bool operator==(const common_value&, const common_value&) = default;
};

/// The most frequent values of a stream, with error bounds: a space-saving sketch (Metwally,
/// Agrawal, El Abbadi), merged as in Agarwal et al., "Mergeable summaries". It contains every
/// value that makes up more than 1/Capacity of the stream, and no error exceeds that share.
/// Values whose hash prefixes collide (one pair in four billion) count as one. REQUIRES: all
/// counts fit into `Count`.
template <std::size_t Capacity, typename Count = std::uint64_t>
class common_values {
 public:
  static_assert(Capacity < 255);
  /// The maximum number of values.
  static constexpr std::size_t capacity = Capacity;

  /// Counts a value `weight` times. Takes constant time on average.
  void add(std::uint64_t hash, Count weight = 1) noexcept {
    const auto hash_prefix = static_cast<std::uint32_t>(hash >> 32U);
    total_ += weight;
    for (std::uint8_t at = heads_[hash_prefix % chains]; at != 0; at = nexts_[at - 1U]) {
      if (hash_prefixes_[at - 1U] != hash_prefix) continue;
      counts_[at - 1U] += weight;
      return;
    }
    if (used_ < Capacity) return place(used_++, hash_prefix, weight, 0);
    const std::size_t victim = least();
    const Count before = counts_[victim];
    unlink(victim);
    place(victim, hash_prefix, before + weight, before);
  }

  /// Merges another sketch. Allocates. REQUIRES: both have hashes of the same salt.
  void add(const common_values& other) {
    const Count own_floor = floor();
    const Count other_floor = other.floor();
    std::vector<common_value> all = ranked();
    for (common_value& each : all) {
      const auto found = other.find(each.hash_prefix);
      each.count += found ? found->count : other_floor;
      each.error += found ? found->error : other_floor;
    }
    for (const common_value& each : other.ranked()) {
      if (find(each.hash_prefix)) continue;
      all.push_back({each.hash_prefix, each.count + own_floor, each.error + own_floor});
    }
    restore(std::move(all), total_ + other.total_);
  }

  /// The total weight of all values that were added.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

  /// The values by descending count, then by error and hash prefix. Allocates.
  [[nodiscard]] std::vector<common_value> ranked() const {
    std::vector<common_value> made;
    made.reserve(used_);
    for (std::size_t i = 0; i < used_; ++i)
      made.push_back({hash_prefixes_[i], counts_[i], errors_[i]});
    sort(made);
    return made;
  }

  /// A lower bound of how often the most frequent value was seen.
  [[nodiscard]] std::uint64_t most() const noexcept {
    Count made = 0;
    for (std::size_t i = 0; i < used_; ++i) made = std::max(made, counts_[i] - errors_[i]);
    return made;
  }

  /// Replaces the contents. Keeps the `Capacity` most frequent of `values`. REQUIRES: the hash
  /// prefixes of `values` differ.
  void restore(std::vector<common_value> values, std::uint64_t total) noexcept {
    sort(values);
    clear();
    total_ = static_cast<Count>(total);
    for (const common_value& each : values) {
      if (used_ == Capacity) break;
      place(used_++, each.hash_prefix, static_cast<Count>(each.count),
            static_cast<Count>(each.error));
    }
  }

  /// Removes all values, and sets total() to 0.
  void clear() noexcept {
    heads_.fill(0);
    used_ = 0;
    next_ = 0;
    least_ = 0;
    total_ = 0;
  }

 private:
  static constexpr std::size_t chains = 64;

  static void sort(std::vector<common_value>& values) noexcept {
    std::sort(values.begin(), values.end(), [](const common_value& a, const common_value& b) {
      if (a.count != b.count) return a.count > b.count;
      return a.error != b.error ? a.error < b.error : a.hash_prefix < b.hash_prefix;
    });
  }

  /// An upper bound of how often a value that isn't listed was seen.
  [[nodiscard]] Count floor() const noexcept {
    return used_ < Capacity ? Count{0} : *std::min_element(counts_.begin(), counts_.end());
  }

  [[nodiscard]] std::optional<common_value> find(std::uint32_t hash_prefix) const noexcept {
    for (std::uint8_t at = heads_[hash_prefix % chains]; at != 0; at = nexts_[at - 1U]) {
      if (hash_prefixes_[at - 1U] == hash_prefix)
        return common_value{hash_prefix, counts_[at - 1U], errors_[at - 1U]};
    }
    return std::nullopt;
  }

  void place(std::size_t at, std::uint32_t hash_prefix, Count count, Count error) noexcept {
    hash_prefixes_[at] = hash_prefix;
    counts_[at] = count;
    errors_[at] = error;
    std::uint8_t& head = heads_[hash_prefix % chains];
    nexts_[at] = head;
    head = static_cast<std::uint8_t>(at + 1);
  }

  void unlink(std::size_t at) noexcept {
    std::uint8_t* link = &heads_[hash_prefixes_[at] % chains];
    while (*link != at + 1) link = &nexts_[*link - 1U];
    *link = nexts_[at];
  }

  /// The index of a value with the least count. Counts only grow, so this function returns all
  /// values with that count in turn before it searches again.
  [[nodiscard]] std::size_t least() noexcept {
    while (next_ < Capacity) {
      if (counts_[next_++] == least_) return next_ - 1;
    }
    const auto found = std::min_element(counts_.begin(), counts_.end());
    least_ = *found;
    next_ = static_cast<std::uint8_t>(found - counts_.begin() + 1);
    return next_ - 1;
  }

  std::array<Count, Capacity> counts_{};
  std::array<Count, Capacity> errors_{};
  std::array<std::uint32_t, Capacity> hash_prefixes_{};
  std::array<std::uint8_t, Capacity> nexts_{};  // in a chain: 1 + index; 0 ends it
  std::array<std::uint8_t, chains> heads_{};
  std::uint8_t used_ = 0;
  std::uint8_t next_ = 0;  // no value before this index has the least count
  Count least_ = 0;
  Count total_ = 0;
};

/// Shows whether the requests of a minute concentrate on one value: sums over busy minutes,
/// those with at least `least_requests` requests. `requests`: the number of requests in these
/// minutes. `hottest`: how many of these requests were for the most frequent value of their
/// minute.
struct minute_shares {
  std::uint64_t requests = 0;
  std::uint64_t hottest = 0;

  /// Minutes with fewer requests are ignored.
  static constexpr std::uint64_t least_requests = 20;

  /// Adds the sums over other minutes.
  void add(const minute_shares& other) noexcept {
    requests += other.requests;
    hottest += other.hottest;
  }
  /// Counts one minute. `in_minute`: the minute's requests. `most`: the requests for the
  /// minute's most frequent value.
  void add_minute(std::uint64_t in_minute, std::uint64_t most) noexcept {
    if (in_minute < least_requests) return;
    requests += in_minute;
    hottest += std::min(most, in_minute);
  }
  friend bool operator==(const minute_shares&, const minute_shares&) = default;
};

/// A sketch of a field's values, or of the combined values of two fields: the number of
/// distinct values, the most frequent values, and the share that each minute's most frequent
/// value has in the minute's requests. Has a fixed size.
class value_sketch {
 public:
  /// The most frequent values over all minutes.
  using common = common_values<40>;

  /// Counts a value in the current minute, `weight` times. `hash`: the value's salted hash.
  void add(std::uint64_t hash, std::uint32_t weight) noexcept {
    distinct_.add(hash);
    common_.add(hash, weight);
    in_minute_.add(hash, weight);
  }
  /// Ends the current minute. `requests`: the collection's requests in this minute since this
  /// sketch began.
  void end_minute(std::uint64_t requests) noexcept {
    minutes_.add_minute(requests, in_minute_.most());
    in_minute_.clear();
  }

  /// Merges another sketch, except for the current minutes. REQUIRES: both sketches have
  /// hashes of the same salt.
  void add(const value_sketch& other) {
    distinct_.add(other.distinct_);
    common_.add(other.common_);
    minutes_.add(other.minutes_);
  }

  /// The estimate of the number of distinct values.
  [[nodiscard]] const cardinality& distinct() const noexcept { return distinct_; }
  /// The most frequent values.
  [[nodiscard]] const common& commonest() const noexcept { return common_; }
  /// The sums over all minutes, including the current minute as if it were over. `requests`:
  /// the collection's requests in the current minute since this sketch began.
  [[nodiscard]] minute_shares minutes(std::uint64_t requests) const noexcept {
    minute_shares made = minutes_;
    made.add_minute(requests, in_minute_.most());
    return made;
  }

  /// Replaces the contents, and starts a new minute.
  void restore(const cardinality& distinct, common commonest, minute_shares minutes) noexcept {
    distinct_ = distinct;
    common_ = std::move(commonest);
    minutes_ = minutes;
    in_minute_.clear();
  }

 private:
  cardinality distinct_;
  common common_;
  common_values<24, std::uint32_t> in_minute_;
  minute_shares minutes_;
};

/// The value sketches of one collection, from which shard keys are recommended. A sketch is a
/// bounded statistic of a field's hashed values. A filter pins a field if it limits the field
/// to a value by equality. The `max_fields` fields that filters pin most often have a sketch,
/// and so have the `max_pairs` pairs of these fields that filters pin together most often.
/// `_id` has a sketch from the start, even if no filter pins it. A field that is pinned much
/// more often replaces the least pinned one. Callers hash the values, with a salt.
/// Thread-safety: one thread at a time.
class collection_sketches {
 public:
  static constexpr std::size_t max_fields = 8;  ///< the maximum number of fields with a sketch
  static constexpr std::size_t max_pairs = 8;   ///< the maximum number of pairs with a sketch
  static constexpr std::size_t max_known = 16;  ///< the maximum number of fields, with a sketch
                                                ///< or without
  static constexpr std::size_t max_path_bytes = 64;     ///< fields with a longer path have no
                                                        ///< sketch
  static constexpr std::size_t max_bytes = 64UL << 10;  ///< the maximum memory of this object

  /// Begins with an empty sketch of `_id`, for the collection with this name.
  collection_sketches(std::string database, std::string collection);

  /// The database's name.
  [[nodiscard]] const std::string& database() const noexcept { return database_; }
  /// The collection's name, without the database.
  [[nodiscard]] const std::string& collection() const noexcept { return collection_; }
  /// Statements and new documents counted since the start, including those of merged sketches.
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }

  /// The id of the field with this path, for sketched_value::field. Adds the field if it is
  /// unknown; this may displace a rarely pinned field without a sketch. std::nullopt if there
  /// is no room, or if the path is empty or longer than max_path_bytes.
  [[nodiscard]] std::optional<sketched_field> admit(std::string_view path);

  /// A field, with a sketch or without.
  struct known_field {
    sketched_field field = 0;
    std::string path;
  };
  /// The fields whose values callers pass to add(): all fields that have a sketch or may get
  /// one.
  [[nodiscard]] std::vector<known_field> known_fields() const;

  /// Sets the current minute, a number that grows by one per minute. Call this before adding
  /// statements; minutes may be skipped.
  void advance(std::int64_t minute) noexcept;
  /// Counts a statement, or a new document, in the sketches of its fields. Ignores fields that
  /// are no longer known. Allocates only for a new sketch; if it throws std::bad_alloc, the
  /// statement may be counted in part.
  void add(const sketched_statement& one);

  /// The sketch of a field or a pair of fields.
  struct content {
    std::uint64_t requests = 0;  ///< the collection's requests since the sketch began
    std::uint64_t pinned = 0;    ///< statements that pin the field or pair
    value_sketch values;         ///< the sketch itself
    std::optional<value_order::result> order{};  ///< whether values increase in the order of
                                                 ///< arrival; empty: unknown, or a pair
  };
  /// A field's sketch. A view.
  struct kept_field {
    std::string_view path;  ///< the field's dotted path
    content of;
  };
  /// A pair's sketch. A view.
  struct kept_pair {
    std::string_view first, second;  ///< in ascending order
    content of;
  };
  /// The fields' sketches, the most often pinned first. Views into this object.
  [[nodiscard]] std::vector<kept_field> fields() const;
  /// The pairs' sketches, the most often pinned first. Views into this object.
  [[nodiscard]] std::vector<kept_pair> pairs() const;

  /// Merges sketches of the same collection from another source. Ignores a field or pair that
  /// has no sketch here and finds no room for one. REQUIRES: both objects have hashes of the
  /// same salt.
  void add(const collection_sketches& other);
  /// Adds to requests() a number of requests that no sketch of this object has counted.
  void add_requests(std::uint64_t requests) noexcept;
  /// Merges one field's sketch; false if there is no room.
  bool add(const kept_field& other);
  /// Merges one pair's sketch; false if there is no room, or if a field of the pair has no
  /// sketch.
  bool add(const kept_pair& other);

 private:
  static constexpr std::size_t none = max_known;

  struct known {
    std::string path;
    sketched_field field = 0;
    std::uint64_t pinned = 0;
    std::uint64_t inherited = 0;  // the part of `pinned` that a displaced field had
    std::size_t place = none;     // index in places_; none: no sketch

    [[nodiscard]] std::uint64_t surely_pinned() const noexcept { return pinned - inherited; }
  };
  /// A sketch in use.
  struct sketch {
    value_sketch values;
    std::uint64_t pinned = 0;
    std::uint64_t requests = 0;         // counted by merged sketches
    std::uint64_t requests_before = 0;  // the collection's requests when the sketch began
    std::uint64_t minute_before = 0;    // the current minute's requests when the sketch began
  };
  struct field_place : sketch {
    std::size_t of = none;  // in known_
    value_order order;
  };
  struct pair_place : sketch {
    std::size_t first = 0, second = 0;  // indexes in places_, in ascending order of their paths
  };

  [[nodiscard]] std::size_t find(std::string_view path) const noexcept;
  [[nodiscard]] std::size_t add_known(std::string_view path);
  [[nodiscard]] std::size_t place_for(std::size_t of, std::uint64_t pinned);
  void give_up_field(std::size_t place) noexcept;
  [[nodiscard]] pair_place* pair_for(std::size_t one, std::size_t other, std::uint64_t pinned);
  [[nodiscard]] std::size_t place_of(sketched_field field) const noexcept;
  void note_pinned(const sketched_statement& one);
  void add_pairs(const sketched_statement& one);
  void begin(sketch& of) const noexcept;
  [[nodiscard]] std::uint64_t requests_of(const sketch& one) const noexcept;
  [[nodiscard]] content content_of(const sketch& one) const;
  void merge(sketch& to, const content& other);
  [[nodiscard]] const std::string& path_of(std::size_t place) const noexcept {
    return known_[places_[place]->of].path;
  }
  [[nodiscard]] std::uint32_t& pair_pins(std::size_t one, std::size_t other) noexcept {
    return pair_pins_[std::min(one, other)][std::max(one, other)];
  }
  [[nodiscard]] std::unique_ptr<pair_place>* find_pair(std::size_t one,
                                                       std::size_t other) noexcept;

  std::string database_, collection_;
  std::uint64_t requests_ = 0;
  std::uint64_t in_minute_ = 0;  // requests in the current minute
  std::int64_t minute_ = 0;
  std::vector<known> known_;
  std::uint32_t last_number_ = 0;
  std::array<std::unique_ptr<field_place>, max_fields> places_;
  std::array<std::unique_ptr<pair_place>, max_pairs> pairs_;
  std::array<std::array<std::uint32_t, max_fields>, max_fields> pair_pins_{};
};

}  // namespace scattergate::digest
