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

/// A field, and one value that a statement has for it. For a filter: a value to which it limits
/// the field by equality (`$eq` or `$in`); a `$in` list gives one pin per value. For a new
/// document: the field's value. A missing field has the value null, but a missing _id gives no
/// pin, because the server generates the value.
struct pin {
  std::uint32_t statement = 0;  ///< the statement's index within its command
  std::uint32_t field = 0;      ///< the field's index in traffic::fields()
  std::uint32_t value = 0;      ///< the value's index in the field's field_values
};

/// A command on the collection. A sampled command may represent several commands of its shape:
/// those that weren't sampled.
struct weighted_command {
  std::size_t shape = 0;               ///< index into traffic::rows()
  std::span<const std::byte> command;  ///< BSON, not owned; empty for an insert whose documents
                                       ///< are unknown
  double weight = 0;                   ///< the number of commands that it represents
  std::optional<digest::wall_time> at;  ///< empty: unknown
  std::uint64_t order = 0;              ///< position in the order of arrival
  std::size_t first_pin = 0;     ///< index of the command's first pin; see traffic::pins_of()
  std::uint32_t pins = 0;        ///< number of pins
  std::uint32_t statements = 1;  ///< number of statements
  bool is_made_up = false;       ///< the values are made up, because only the shape is known
  bool is_write = false;         ///< the command writes documents
  bool is_insert = false;        ///< the command is an insert
};

/// A field and its distinct values: those to which filters pin the field by equality, and those
/// in new documents. `encoded`, `types`, `hashes` and `ranks` have one element per value. A
/// value has the same index in each of them.
struct field_values {
  std::string path;                    ///< the dotted path
  double pinned = 0;                   ///< number of commands whose filters pin the field
  std::vector<std::string> encoded;    ///< per value: its encoding in a ranged key; the
                                       ///< encodings sort as the values do in MongoDB
  std::vector<wire::bson_type> types;  ///< per value
  /// Per value: its hash in a hashed key; empty: the value can't be hashed.
  std::vector<std::optional<std::int64_t>> hashes;
  std::vector<std::uint32_t> ranks;    ///< per value: its rank in sorted order
  std::vector<std::uint32_t> by_rank;  ///< per rank: the value's index
  bool is_object_ids = false;  ///< filters pin the field, and they pin it only to ObjectIds
  std::optional<double> monotonicity;  ///< correlation of the values with their order of
                                       ///< arrival, -1 to 1; empty: unknown
  /// The values grow or shrink over time: the absolute `monotonicity` is at least
  /// `monotonic_from`. If `monotonicity` is empty, true only for the field _id, if filters pin
  /// it only to ObjectIds.
  bool is_monotonic = false;
};

/// The commands sent to one collection. For each shape without sampled commands, this class
/// makes up one command that represents all commands of the shape.
class traffic {
 public:
  /// `name_space`: the collection, "db.collection". `kept`: the sampled commands with their
  /// values; null: none. `*kept` must outlive this object.
  traffic(std::string name_space, const kept_commands* kept)
      : name_space_(std::move(name_space)), kept_(kept) {}

  /// Adds the commands of a row. A row is a shape with the counts of its commands. Ignores the
  /// row if its count is 0, or if mongos doesn't route this kind of command. The row must
  /// outlive this object.
  void add(const digest::row& one);

  /// Sorts commands by time, reads their filters and new documents, and collects the values of
  /// the relevant fields: the fields that filters pin most often, and the fields of `keys`.
  /// Call it once, after all rows are added.
  void finish(std::span<const shard_key> keys);

  /// Sets field_values::monotonicity and is_monotonic of a field. Does nothing if the commands
  /// have shown the monotonicity. `field`: the field's index in fields().
  void learn_order(std::uint32_t field, double monotonicity) noexcept;

  /// The collection, "db.collection".
  [[nodiscard]] const std::string& name_space() const noexcept { return name_space_; }
  /// The commands, sorted by time after finish(). Excludes two kinds: batches whose statements
  /// weren't logged, and commands of shapes for which no command can be made up.
  [[nodiscard]] std::span<const weighted_command> commands() const noexcept {
    return commands_;
  }
  /// The rows that were added and not ignored, in order.
  [[nodiscard]] std::span<const digest::row* const> rows() const noexcept { return rows_; }
  /// The relevant fields (see finish()) and their values. Empty before finish().
  [[nodiscard]] std::span<const field_values> fields() const noexcept { return fields_; }
  /// The pins of a command's statements.
  [[nodiscard]] std::span<const pin> pins_of(const weighted_command& one) const noexcept {
    return std::span{pins_}.subspan(one.first_pin, one.pins);
  }
  /// The index of a field in fields(); std::nullopt if it isn't there.
  [[nodiscard]] std::optional<std::uint32_t> field_of(std::string_view path) const noexcept;

  /// The index in `key` of its growing field: the first ranged field whose values grow or
  /// shrink over time. std::nullopt if there is none. New documents with equal values in all
  /// fields before the growing field go to the same chunk: the one at the end of the range of
  /// keys that begin with these values.
  [[nodiscard]] std::optional<std::size_t> growing_place(const shard_key& key) const noexcept;

  /// Numbers of commands.
  struct sums {
    double all = 0;         ///< all commands that mongos routes
    double whole = 0;       ///< commands represented by sampled commands with values
    double timed = 0;       ///< commands represented by sampled commands with a time
    double not_judged = 0;  ///< commands of shapes for which no command can be made up
    double not_logged = 0;  ///< batches whose statements weren't logged
    double inserts_without_documents = 0;  ///< inserts whose documents are unknown
  };
  /// The numbers of commands, including commands that commands() doesn't have.
  [[nodiscard]] const sums& counted() const noexcept { return sums_; }
  /// The time of the first command; empty if no command has a time.
  [[nodiscard]] std::optional<digest::wall_time> from() const noexcept { return from_; }
  /// The time of the last command; empty if no command has a time.
  [[nodiscard]] std::optional<digest::wall_time> to() const noexcept { return to_; }

 private:
  void add_whole(const digest::row& one, const kept_commands::of_shape& all);
  void add_made_up(const digest::row& one, double weight);
  void count_fields();
  void choose_fields(std::span<const shard_key> keys);
  void add_field(const std::string& path);
  void number_values(weighted_command& of);
  void add_pin(std::uint32_t statement, std::uint32_t field, const wire::element& value);
  static void order_values(field_values& of);
  void measure_order();
  void number_document(std::uint32_t statement, wire::document_view document);

  std::string name_space_;
  const kept_commands* kept_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> made_up_;
  std::vector<const digest::row*> rows_;
  std::vector<weighted_command> commands_;
  std::vector<pin> pins_;
  /// How filters pin a field.
  struct pinned_field {
    double commands = 0;        // number of commands whose filters pin it
    bool is_object_ids = true;  // filters pin it only to ObjectIds
  };
  std::unordered_map<std::string, pinned_field> pinned_;  // by path
  std::vector<field_values> fields_;
  std::vector<std::unordered_map<std::string, std::uint32_t>> numbers_;  // for each field: its
                                                                         // values' indexes
  sums sums_;
  std::optional<digest::wall_time> from_, to_;
};

/// The least absolute correlation with the order of arrival at which a field's values count as
/// monotonic (mongo: analyzeShardKeyMonotonicityCorrelationCoefficientThreshold).
inline constexpr double monotonic_from = 0.7;

}  // namespace scattergate::advise
