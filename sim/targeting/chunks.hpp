#pragma once

#include <cstdint>
#include <optional>
#include <set>
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

/// The position of a shard in the cluster's list of shards.
using shard_index = std::size_t;

/// A chunk: a half-open range [min, max) of the key space, which one shard owns. A position in
/// the key space has a value for each field of the shard key.
struct chunk {
  array min;
  array max;
  shard_index owner = 0;
  std::uint32_t major = 1;  ///< first part of the chunk's version (lastmod); a move raises it
                            ///< above that of all other chunks
  /// Second part of the chunk's version (lastmod). A split raises it in both new chunks; a move
  /// sets it to 0.
  std::uint32_t minor = 0;
  object_id id;
};

/// The chunks of one collection: sorted, without gaps, from MinKey to MaxKey.
class chunk_map {
 public:
  /// Creates a single chunk that covers the whole key space.
  chunk_map(const shard_key& key, shard_index owner);

  /// All chunks, sorted by position.
  [[nodiscard]] const std::vector<chunk>& all() const noexcept { return chunks_; }
  /// The chunk that contains `position`; the last chunk for MaxKey in every field.
  [[nodiscard]] const chunk& at(const array& position) const noexcept;
  /// All shards that own a chunk.
  [[nodiscard]] std::set<shard_index> owners() const;

  /// Splits the chunk that contains `position` at `position`. Returns false if a chunk already
  /// begins there.
  bool split(const array& position);

  /// Assigns the chunk that contains `position` to the shard `to`. Does nothing if the shard
  /// owns it already.
  void move(const array& position, shard_index to);

  /// The owner of the chunk that contains `position`. The position with MaxKey in every field
  /// is the end of the key space. `with_end`: the last chunk contains it, too; if false,
  /// returns std::nullopt for it.
  [[nodiscard]] std::optional<shard_index> owner_of(const array& position, bool with_end) const;

  /// Adds the owners of all chunks that overlap [from, to], including both ends, to `out`.
  /// `with_end`: the last chunk also contains the position with MaxKey in every field.
  void add_owners(const array& from, const array& to, bool with_end,
                  std::set<shard_index>& out) const;

 private:
  [[nodiscard]] std::size_t index_of(const array& position) const noexcept;

  std::vector<chunk> chunks_;
  std::uint32_t highest_major_ = 1;
  std::uint32_t highest_minor_ = 0;
};

}  // namespace scattergate::sim
