#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A shard key pattern: ranged fields, and at most one hashed field. Thread-safety: immutable.
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

  /// A document's key values in the key's order: values of the hashed field are hashed, missing
  /// ones are null. Throws command_failure (shard_key_not_found) for an array on the key.
  [[nodiscard]] array position_of(const document& content) const;

  /// A document's key values, unhashed. Compare them before and after an update to detect a
  /// changed shard key.
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
