#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A shard key pattern: ranged fields, at most one of them hashed. Thread-safety: immutable.
class shard_key {
 public:
  struct part {
    std::string name;
    std::vector<std::string> path;
    bool is_hashed = false;
  };

  /// Throws command_failure (bad_value) for anything but 1 and "hashed".
  explicit shard_key(const document& pattern);

  [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }
  [[nodiscard]] const document& pattern() const noexcept { return pattern_; }
  [[nodiscard]] bool has_hashed_part() const noexcept;

  /// The position of a document: its key values in order, hashed where the key is; null if
  /// missing. Throws command_failure (shard_key_not_found) for an array on the key.
  [[nodiscard]] array position_of(const document& content) const;

  /// The key's values in the document, unhashed: those that must not change unnoticed.
  [[nodiscard]] array values_of(const document& content) const;

  /// The position given by a document with exactly the key's fields (a chunk's bound, a split
  /// point). Throws command_failure (bad_value) for other fields.
  [[nodiscard]] array position_from_bound(const document& bound) const;

  /// The document for a position, as a chunk's bound.
  [[nodiscard]] document bound_of(const array& position) const;

  [[nodiscard]] array lowest() const;   ///< MinKey in every field
  [[nodiscard]] array highest() const;  ///< MaxKey in every field

  /// Whether an index on `index_key` begins with this whole key.
  [[nodiscard]] bool is_prefix_of(const document& index_key) const;

 private:
  document pattern_;
  std::vector<part> parts_;
};

}  // namespace scattergate::sim
