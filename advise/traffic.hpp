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

/// A value that a statement pins a field to, by its number in the field's table.
struct pin {
  std::uint32_t statement = 0;  ///< of its request
  std::uint32_t field = 0;      ///< of the traffic
  std::uint32_t value = 0;
};

/// A command on the collection, or one that stands for several like it.
struct request {
  std::size_t shape = 0;               ///< its row: of traffic::rows()
  std::span<const std::byte> command;  ///< BSON; empty: nothing shows how it is routed
  double weight = 0;                   ///< for how many it stands
  std::optional<digest::wall_time> at;
  std::uint64_t order = 0;
  std::size_t first_pin = 0;
  std::uint32_t pins = 0;
  std::uint32_t statements = 1;
  bool is_made_up = false;  ///< its values are: all that is known is a shape
  bool is_write = false;
  bool is_insert = false;
};

/// A field and the values that it was seen with.
struct field_values {
  std::string path;
  double pinned = 0;                                ///< commands whose filter pins it
  std::vector<std::string> encoded;                 ///< of each value, as the key orders it
  std::vector<wire::bson_type> types;               ///< of each value
  std::vector<std::optional<std::int64_t>> hashes;  ///< of each value
  std::vector<std::uint32_t> ranks;                 ///< of each value, in the field's order
  std::vector<std::uint32_t> by_rank;               ///< the values in that order
  bool is_object_ids = false;                       ///< all values are, as far as shapes tell
  std::optional<double> monotonicity;  ///< how values follow the order they came in, -1 to 1
  bool is_monotonic = false;
};

/// What was sent to one collection: its rows, and whole commands where there are any.
class traffic {
 public:
  traffic(std::string name_space, const kept_commands* kept)
      : name_space_(std::move(name_space)), kept_(kept) {}

  /// Adds what a row counts. The row must outlive this.
  void add(const digest::row& one);

  /// Sorts by time, looks at what filters pin, and numbers the values of the fields that
  /// matter: those pinned most and those of `keys`.
  void finish(std::span<const shard_key> keys);

  [[nodiscard]] const std::string& name_space() const noexcept { return name_space_; }
  [[nodiscard]] std::span<const request> requests() const noexcept { return requests_; }
  [[nodiscard]] std::span<const digest::row* const> rows() const noexcept { return rows_; }
  [[nodiscard]] std::span<const field_values> fields() const noexcept { return fields_; }
  [[nodiscard]] std::span<const pin> pins_of(const request& one) const noexcept {
    return std::span{pins_}.subspan(one.first_pin, one.pins);
  }
  /// The number of a field; nothing where it isn't among fields().
  [[nodiscard]] std::optional<std::uint32_t> field_of(std::string_view path) const noexcept;

  /// Commands: all that are routed; those with values; those whose time is known; those of
  /// which nothing shows how another key would route them; batches whose statements weren't
  /// logged.
  struct sums {
    double all = 0;
    double whole = 0;
    double timed = 0;
    double not_judged = 0;
    double not_logged = 0;
    double inserts_without_documents = 0;
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
  /// What filters pin a field to.
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

/// Values that follow the order they came in as closely as this are called monotonic (mongo:
/// analyzeShardKeyMonotonicityCorrelationCoefficientThreshold).
inline constexpr double monotonic_from = 0.7;

}  // namespace scattergate::advise
