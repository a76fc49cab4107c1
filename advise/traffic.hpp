#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "advise/kept_commands.hpp"
#include "advise/shard_key.hpp"
#include "digest/row.hpp"
#include "wire/bson.hpp"

namespace scattergate::advise {

/// A field that a statement pins to a value. The value is an index into field_values.
struct pin {
  std::uint32_t statement = 0;  ///< index within its request
  std::uint32_t field = 0;      ///< index into the traffic's fields
  std::uint32_t value = 0;
};

/// A command on the collection, possibly representing several similar ones.
struct request {
  std::size_t shape = 0;               ///< index into traffic::rows()
  std::span<const std::byte> command;  ///< BSON; empty: its routing can't be judged
  double weight = 0;                   ///< the number of commands that it represents
  std::optional<digest::wall_time> at;
  std::uint64_t order = 0;
  std::size_t first_pin = 0;
  std::uint32_t pins = 0;
  std::uint32_t statements = 1;
  bool is_made_up = false;  ///< its values are synthetic, because only the shape is known
  bool is_write = false;
  bool is_insert = false;
};

/// A field and its observed values.
struct field_values {
  std::string path;
  double pinned = 0;                                ///< commands whose filter pins it
  std::vector<std::string> encoded;                 ///< per value, in the shard key's encoding
  std::vector<wire::bson_type> types;               ///< of each value
  std::vector<std::optional<std::int64_t>> hashes;  ///< of each value
  std::vector<std::uint32_t> ranks;                 ///< per value: its rank in sorted order
  std::vector<std::uint32_t> by_rank;               ///< the values in sorted order
  bool is_object_ids = false;          ///< all values are ObjectIds, according to the shapes
  std::optional<double> monotonicity;  ///< correlation of values with their order of arrival,
                                       ///< -1 to 1
  bool is_monotonic = false;
};

/// The commands sent to one collection: its rows, and complete commands where available.
class traffic {
 public:
  traffic(std::string name_space, const kept_commands* kept)
      : name_space_(std::move(name_space)), kept_(kept) {}

  /// Adds a row's counts. The row must outlive this object.
  void add(const digest::row& one);

  /// Call it after all rows are added. Sorts requests by time, reads their filters, and numbers
  /// the values of the relevant fields: the most frequently pinned ones and those in `keys`.
  void finish(std::span<const shard_key> keys);

  /// Sets a field's monotonicity, unless the commands themselves have shown it.
  void learn_order(std::uint32_t field, double monotonicity) noexcept;

  [[nodiscard]] const std::string& name_space() const noexcept { return name_space_; }
  [[nodiscard]] std::span<const request> requests() const noexcept { return requests_; }
  [[nodiscard]] std::span<const digest::row* const> rows() const noexcept { return rows_; }
  [[nodiscard]] std::span<const field_values> fields() const noexcept { return fields_; }
  /// The pins of a request's statements.
  [[nodiscard]] std::span<const pin> pins_of(const request& one) const noexcept {
    return std::span{pins_}.subspan(one.first_pin, one.pins);
  }
  /// The index of a field; std::nullopt if it isn't in fields().
  [[nodiscard]] std::optional<std::uint32_t> field_of(std::string_view path) const noexcept;

  /// The place in a key of its first field that isn't hashed and whose values grow or shrink
  /// over time; std::nullopt if there is none. New documents with the same values in front of
  /// it go to one chunk, the last.
  [[nodiscard]] std::optional<std::size_t> growing_place(const shard_key& key) const noexcept;

  /// Numbers of commands.
  struct sums {
    double all = 0;                        ///< all routed commands
    double whole = 0;                      ///< commands with values
    double timed = 0;                      ///< commands with a time
    double not_judged = 0;                 ///< commands that can't be judged for another key
    double not_logged = 0;                 ///< batches whose statements weren't logged
    double inserts_without_documents = 0;  ///< inserts whose documents weren't logged
  };
  [[nodiscard]] const sums& counted() const noexcept { return sums_; }
  [[nodiscard]] std::optional<digest::wall_time> from() const noexcept { return from_; }
  [[nodiscard]] std::optional<digest::wall_time> to() const noexcept { return to_; }

 private:
  void add_whole(const digest::row& one, const kept_commands::of_shape& all);
  void add_made_up(const digest::row& one, double weight);
  void count_fields();
  void choose_fields(std::span<const shard_key> keys);
  void add_field(const std::string& path);
  void number_values(request& of);
  void add_pin(std::uint32_t statement, std::uint32_t field, const wire::element& value);
  static void order_values(field_values& of);
  void measure_order();
  void number_document(std::uint32_t statement, wire::document_view document);

  std::string name_space_;
  const kept_commands* kept_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> made_up_;
  std::vector<const digest::row*> rows_;
  std::vector<request> requests_;
  std::vector<pin> pins_;
  /// The commands whose filters pin a field.
  struct pinned_field {
    double commands = 0;
    bool is_object_ids = true;
  };
  std::unordered_map<std::string, pinned_field> pinned_;  // by path
  std::vector<field_values> fields_;
  std::vector<std::unordered_map<std::string, std::uint32_t>> numbers_;  // of each field
  sums sums_;
  std::optional<digest::wall_time> from_, to_;
};

/// A field's values are monotonic if they correlate with their order of arrival by at least
/// this much (mongo: analyzeShardKeyMonotonicityCorrelationCoefficientThreshold).
inline constexpr double monotonic_from = 0.7;

}  // namespace scattergate::advise
