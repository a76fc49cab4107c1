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

/// The number of a document within a collection on one shard. Documents are numbered in the
/// order of insertion.
using record_id = std::uint64_t;

/// One index of a collection on one shard: maps key values to documents. A document with an
/// array in an indexed field has several keys. Text, geo and wildcard indexes have no keys.
class index {
 public:
  /// `specification`: an index of the command createIndexes: {v, key, name, unique, sparse,
  /// ...}. Throws command_failure if a path or the partialFilterExpression is invalid.
  explicit index(document specification);

  /// The key pattern, such as {a: 1, b: -1}.
  [[nodiscard]] const document& key() const;
  /// The index's name, such as "a_1_b_-1".
  [[nodiscard]] std::string name() const;
  /// Whether each key may belong to only one document.
  [[nodiscard]] bool is_unique() const noexcept { return unique_; }

  /// Whether the index contains every document, so that it can be used for lookups.
  [[nodiscard]] bool is_complete() const noexcept;

  /// The keys that a document has in this index; empty if the index doesn't contain the
  /// document. Throws command_failure (bad_value) if there are too many keys.
  [[nodiscard]] std::vector<array> keys_of(const document& content) const;

  /// Adds the keys of a document.
  void add(const document& content, record_id id);
  /// Removes the keys of a document, except the keys that `kept`, another version of the
  /// document, has too. `kept` may be null.
  void remove(const document& content, record_id id, const document* kept);

  /// Adds the documents whose key begins with `prefix` to `out`.
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
