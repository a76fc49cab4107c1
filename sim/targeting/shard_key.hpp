#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A shard key pattern: ranged fields, and at most one hashed field. Thread-safety: immutable.
class shard_key {
 public:
  /// One field of the key.
  struct part {
    std::string name;               ///< the dotted path
    std::vector<std::string> path;  ///< the components of the dotted path
    bool is_hashed = false;
  };

  /// Parses a key pattern. Throws command_failure (bad_value) if the pattern is empty, has two
  /// hashed fields, or has a value other than 1 and "hashed".
  explicit shard_key(const document& pattern);

  /// The fields in the key's order.
  [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }
  /// The key pattern, such as {a: 1, b: "hashed"}.
  [[nodiscard]] const document& pattern() const noexcept { return pattern_; }
  /// Whether a field is hashed.
  [[nodiscard]] bool has_hashed_part() const noexcept;

  /// A document's position in the key space: the values of the key fields in the key's order. A
  /// hashed field has the hash, a missing field has null. Throws command_failure
  /// (shard_key_not_found) if there is an array on a key field's path.
  [[nodiscard]] array position_of(const document& content) const;

  /// A document's values of the key fields, not hashed. If they differ before and after an
  /// update, the update changes the shard key. Throws command_failure (shard_key_not_found) if
  /// there is an array on a key field's path.
  [[nodiscard]] array values_of(const document& content) const;

  /// Converts a bound of a chunk, or a split point, to a position. `bound`: a document with
  /// exactly the key's fields. Throws command_failure (bad_value) if `bound` lacks a field or
  /// has other fields.
  [[nodiscard]] array position_from_bound(const document& bound) const;

  /// Converts a position to a document with the key's fields, the form of a chunk's bound.
  [[nodiscard]] document bound_from_position(const array& position) const;

  [[nodiscard]] array lowest() const;   ///< MinKey in every field
  [[nodiscard]] array highest() const;  ///< MaxKey in every field

  /// Whether an index on `index_key` begins with all fields of this shard key.
  [[nodiscard]] bool is_prefix_of(const document& index_key) const;

 private:
  document pattern_;
  std::vector<part> parts_;
};

}  // namespace scattergate::sim
