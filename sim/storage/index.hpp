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

/// Identifies a document within one shard's collection, in order of arrival.
using record_id = std::uint64_t;

/// One index of one shard's collection: maps key values to records, several for an array. Text
/// and geo indexes exist by name only.
class index {
 public:
  /// `specification` is as in createIndexes: {v, key, name, unique, sparse, ...}.
  explicit index(document specification);

  [[nodiscard]] const document& key() const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool is_unique() const noexcept { return unique_; }

  /// Whether it contains every document, so that lookups may use it.
  [[nodiscard]] bool is_complete() const noexcept;

  /// The keys of `content` in this index. Throws command_failure if there are too many.
  [[nodiscard]] std::vector<array> keys_of(const document& content) const;

  void add(const document& content, record_id id);
  /// Removes the keys of `content`, except those that `kept`, if given, also has.
  void remove(const document& content, record_id id, const document* kept);

  /// The records whose key begins with `prefix`.
  void find_prefix(const array& prefix, std::set<record_id>& out) const;
  /// The records with exactly this key.
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
  bool opaque_ = false;  ///< text, geo, wildcard: no keys
};

}  // namespace scattergate::sim
