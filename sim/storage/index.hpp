#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/query/matcher.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The number of a document within a collection on one shard. A later inserted document has a
/// higher number.
using record_id = std::uint64_t;

/// One index of a collection on one shard: maps key values to documents. A document with an
/// array in an indexed field has several keys. Text, geo and wildcard indexes exist, but
/// contain no keys.
class index {
 public:
  /// `specification`: an index as the command createIndexes has it: {v, key, name, unique,
  /// sparse, ...}. Throws command_failure if a path or the partialFilterExpression is invalid.
  explicit index(document specification);

  /// The key pattern, such as {a: 1, b: -1}.
  [[nodiscard]] const document& key() const;
  /// The index's name, such as "a_1_b_-1".
  [[nodiscard]] std::string name() const;
  /// Whether each key may belong to only one document.
  [[nodiscard]] bool is_unique() const noexcept { return unique_; }

  /// Whether every document has a key in the index, so that the index can be used for lookups.
  /// False for sparse, partial, text, geo and wildcard indexes.
  [[nodiscard]] bool is_complete() const noexcept;

  /// The keys that a document has in this index; empty if the index doesn't contain the
  /// document. Throws command_failure (bad_value) if there are too many keys.
  [[nodiscard]] std::vector<array> keys_of(const document& content) const;

  /// Adds the keys of a document.
  void add(const document& content, record_id id);
  /// Removes the keys of a document. `kept`: another version of the document, whose keys stay
  /// in the index; null: there is none.
  void remove(const document& content, record_id id, const document* kept);

  /// Finds the documents with a key that begins with `prefix`, and adds them to `out`.
  void find_prefix(const array& prefix, std::set<record_id>& out) const;
  /// The documents with exactly this key.
  [[nodiscard]] std::vector<record_id> find(const array& key) const;

 private:
  struct part {
    std::string name;
    std::vector<std::string> path;
  };
  using entry = std::pair<array, record_id>;
  struct entry_less {
    bool operator()(const entry& left, const entry& right) const noexcept {
      const auto order = compare(left.first, right.first);
      return order < 0 || (order == 0 && left.second < right.second);
    }
  };

  document specification_;
  std::vector<part> parts_;
  std::optional<matcher> partial_;
  std::set<entry, entry_less> entries_;
  bool unique_ = false;
  bool sparse_ = false;
  bool opaque_ = false;  ///< a text, geo or wildcard index, which has no keys
};

}  // namespace scattergate::sim
