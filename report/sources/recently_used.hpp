#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace scattergate::report {

/// A map that knows which key was unused for the longest time, so that the caller can evict
/// it. Values never move.
template <typename Key, typename Value, typename Hash>
class recently_used {
 public:
  struct entry {
    Key key;
    Value value;
  };

  /// Finds an entry and marks it as used; null if there is none.
  [[nodiscard]] entry* find(const Key& key) {
    if (!is_empty() && entries_.back().key == key) return &entries_.back();
    const auto known = places_.find(key);
    if (known == places_.end()) return nullptr;
    entries_.splice(entries_.end(), entries_, known->second);
    return &*known->second;
  }

  /// Adds an entry as the most recently used one. REQUIRES: there is no entry with this key.
  template <typename... Arguments>
  entry& add(const Key& key, Arguments&&... of_value) {
    entries_.push_back({key, Value{std::forward<Arguments>(of_value)...}});
    places_.emplace(key, std::prev(entries_.end()));
    return entries_.back();
  }

  /// The entry that was unused for the longest time. REQUIRES: !is_empty().
  [[nodiscard]] entry& oldest() { return entries_.front(); }

  /// Removes an entry. REQUIRES: `one` is an entry of this map.
  void erase(const entry& one) {
    const auto known = places_.find(one.key);
    const auto place = known->second;
    places_.erase(known);
    entries_.erase(place);
  }

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] bool is_empty() const noexcept { return places_.empty(); }

 private:
  std::list<entry> entries_;  ///< least recently used first
  std::unordered_map<Key, typename std::list<entry>::iterator, Hash> places_;
};

}  // namespace scattergate::report
