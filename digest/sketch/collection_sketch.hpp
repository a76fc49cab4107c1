#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "digest/sketch/statement_values.hpp"
#include "digest/sketch/value_sketch.hpp"
#include "text/problem.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::digest {

/// What is kept of the values of one collection: of at most eight fields, and of eight pairs of
/// them that filters give together. In at most 64 KiB.
class collection_sketch {
 public:
  /// Whether there are so many bytes to be had.
  using room = std::function<bool(std::size_t bytes)>;

  struct field {
    std::string path;
    value_sketch values{true};
  };
  struct pair {
    std::string first, second;  ///< in the order of the names
    value_sketch values{false};
  };
  /// What one takes at most.
  static constexpr std::size_t most_bytes = 64UL * 1024;
  /// What it takes before it has a field, with its names.
  static constexpr std::size_t own_bytes = 1024;
  /// And for each field and pair.
  static constexpr std::size_t field_bytes = sizeof(field) + sizeof(monotonicity);
  static constexpr std::size_t pair_bytes = sizeof(pair);

  /// A place that isn't there.
  static constexpr std::size_t none = SIZE_MAX;

  collection_sketch(std::string database, std::string collection)
      : database_(std::move(database)), collection_(std::move(collection)) {}

  /// The place of a field. Takes one while there are any, `has_room` gives it the bytes, and
  /// the path is short enough; else none.
  [[nodiscard]] std::size_t take_field(std::string_view path, const room& has_room);

  /// Counts a statement by the places of its fields. `second`: when, in seconds since 1970; 0
  /// where that isn't known. Allocates only for a pair that comes first.
  void count(const statement_values& said, std::int64_t second, const room& has_room);
  void count_refused(std::uint64_t values) noexcept { refused_ += values; }

  /// The same as having seen what the other saw: the fields and pairs that have places here.
  void add(const collection_sketch& other, const room& for_fields, const room& for_pairs);
  /// What stands beside fields and pairs.
  void add_counts(std::uint64_t requests, std::uint64_t inserts,
                  std::uint64_t refused) noexcept;
  void add_pair(std::string_view a, std::string_view b, const value_sketch::parts& values,
                const room& has_room);
  void add_field(std::string_view path, const value_sketch::parts& values,
                 const room& has_room);

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database_, collection_}; }

  /// Statements: reads, writes, and each inserted document, whatever they say of any field.
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  [[nodiscard]] std::uint64_t inserts() const noexcept { return inserts_; }
  /// Values of fields and pairs that found no place.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

  [[nodiscard]] const std::deque<field>& fields() const noexcept { return fields_; }
  [[nodiscard]] const std::deque<pair>& pairs() const noexcept { return pairs_; }
  /// Null where none is kept.
  [[nodiscard]] const value_sketch* field_at(std::string_view path) const noexcept;
  [[nodiscard]] const value_sketch* pair_of(std::string_view a,
                                            std::string_view b) const noexcept;

 private:
  static constexpr std::uint8_t no_pair = 0xff;

  [[nodiscard]] std::size_t place_of(std::string_view path) const noexcept;
  void count_pairs(const statement_values& said, std::int64_t second, const room& has_room);
  void count_pair(std::size_t a, std::size_t b, const statement_values& said,
                  std::int64_t second, const room& has_room);
  [[nodiscard]] std::size_t take_pair(std::string_view a, std::string_view b,
                                      const room& has_room);

  std::string database_, collection_;
  std::uint64_t requests_ = 0;
  std::uint64_t inserts_ = 0;
  std::uint64_t refused_ = 0;
  std::deque<field> fields_;
  std::deque<pair> pairs_;
  /// The places of pairs, by those of their fields; filled as they are asked for.
  struct pair_place {
    std::uint8_t at = no_pair;
  };
  std::array<std::array<pair_place, most_sketched_fields>, most_sketched_fields> pair_at_{};
};

}  // namespace scattergate::digest
