#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest/sketches/sketched_value.hpp"
#include "digest/sketches/value_order.hpp"
#include "digest/sketches/value_sketch.hpp"

namespace scattergate::digest {

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
