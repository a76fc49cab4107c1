#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "digest/sketches/salt.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// The first 16 bytes of a value in MongoDB's sort order (routing/keys/key_encoding.hpp). They
/// reveal the value: never store or send them.
struct value_head {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  friend auto operator<=>(const value_head&, const value_head&) = default;
};

/// Measures whether a field's values increase or decrease in their order of arrival. As a
/// ranged shard key, such a field sends all new documents to one chunk. The measure is
/// Spearman's rank correlation over a uniform sample. Uses the values of new documents, as
/// analyzeShardKey does; uses the values of queries if there are no new documents. Only the
/// coefficient is ever stored.
class value_order {
 public:
  /// The size of the sample.
  static constexpr std::size_t samples = 32;
  /// With fewer values, no correlation is computed.
  static constexpr std::uint64_t least_values = 10;

  /// Adds the next value in order of arrival. `is_insert`: the value is that of a new document.
  /// The first such value discards all values of queries; later values of queries are ignored.
  void add(const value_head& value, bool is_insert) noexcept {
    if (is_insert != is_of_inserts_ && !change_to(is_insert)) return;
    if (seen_++ >= next_) take(value);
  }

  /// A measured correlation.
  struct result {
    std::uint64_t values = 0;    ///< the number of values that were compared
    double correlation = 0;      ///< -1 (decreasing) to 1 (increasing)
    bool is_of_inserts = false;  ///< the values are those of new documents
  };
  /// The correlation over all values, including merged results; std::nullopt if this object has
  /// fewer than least_values values of its own and no merged result.
  [[nodiscard]] std::optional<result> measured() const;

  /// Merges another result, weighted by its number of values. If one of the two is about new
  /// documents and the other about queries, keeps only the one about new documents.
  void add(const result& other) noexcept;

 private:
  [[nodiscard]] bool change_to(bool inserts) noexcept;
  void take(const value_head& value) noexcept;
  [[nodiscard]] double draw() noexcept;
  [[nodiscard]] double correlation() const;

  struct sample {
    value_head value;
    std::uint64_t at = 0;  // its place in the order of arrival
  };
  std::array<sample, samples> kept_{};
  std::uint64_t seen_ = 0;
  std::uint64_t next_ = 0;  // the place of the next value to take
  double threshold_ = 1;    // of the sampling: Li's algorithm L
  std::uint64_t random_ = 0x9e3779b97f4a7c15U;
  std::optional<result> others_;
  bool is_of_inserts_ = false;
};

/// Identifies a field within a collection_sketches.
using sketched_field = std::uint32_t;

/// A field's value in the form that sketches count.
struct sketched_value {
  sketched_field field = 0;  ///< the field
  std::uint64_t hash = 0;    ///< the value's salted hash
  value_head head;  ///< the value's first bytes in sort order; must not be stored or sent
};

/// A statement or a new document, with its sketched values. A view. For the filter {a: 1, b:
/// {$in: [2, 3]}}, `values` has one value of a and two values of b.
struct sketched_statement {
  std::span<const sketched_value> values;  ///< of all fields; several for an `$in` list
  std::uint32_t weight = 1;                ///< counts as this number of statements
  bool is_insert = false;                  ///< a new document, not a statement with a filter
};

/// The maximum size of a sketched value, in bytes.
inline constexpr std::size_t max_sketched_bytes = 1024;

/// Hashes a field's value. Values that MongoDB compares as equal, such as 1 and 1.0, get equal
/// hashes. std::nullopt if the value is larger than max_sketched_bytes, corrupt, or an array,
/// which no shard key contains. Doesn't allocate.
[[nodiscard]] std::optional<sketched_value> sketched(sketched_field field,
                                                     const wire::element& value,
                                                     const salt& hash_salt,
                                                     routing::scratch& memory) noexcept;

}  // namespace scattergate::digest
