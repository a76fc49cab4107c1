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

/// Names a document within one shard's collection, in order of arrival.
using record_id = std::uint64_t;

/// One index of one shard's collection: key values to records, several for an array. Text and
/// geo indexes are kept by name only.
class index {
 public:
  /// `specification` is as in createIndexes: {v, key, name, unique, sparse, ...}.
  explicit index(document specification);

  [[nodiscard]] const document& key() const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool is_unique() const noexcept { return unique_; }

  /// Whether every document is in it, so that a lookup may rely on it.
  [[nodiscard]] bool is_complete() const noexcept;

  /// The keys that `content` has in it. Throws command_failure where there are too many.
  [[nodiscard]] std::vector<array> keys_of(const document& content) const;

  void add(const document& content, record_id id);
  /// Removes the keys of `content` that `kept` (where given) does not share.
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
