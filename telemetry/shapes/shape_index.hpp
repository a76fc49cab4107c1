#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Maps a shape_key (query shape and kind of finding) to the position of its entry in a table.
/// Lookups don't allocate. Thread-safety: one thread writes; other threads may read only while
/// none writes.
class shape_index {
 public:
  /// The position of the entry with this key; std::nullopt if there is no such entry.
  [[nodiscard]] std::optional<std::uint32_t> find(const shape_key& key) const noexcept;

  /// Adds an entry for key_of(details). `details` owns the key's texts, and must outlive the
  /// entry.
  void insert(const shape_details& details, std::uint32_t position);

  /// Makes `details` the owner of an entry's key, instead of `old`. REQUIRES: both have the
  /// same key.
  void replace(const shape_details& old, const shape_details& details);

  /// Changes the position of the entry for key_of(details).
  void move(const shape_details& details, std::uint32_t position);

  /// Removes the entry for key_of(details); `details` may be deleted afterwards.
  void erase(const shape_details& details);

 private:
  struct hash {
    std::size_t operator()(const shape_key& key) const noexcept;
  };
  struct equal {
    bool operator()(const shape_key& a, const shape_key& b) const noexcept;
  };
  std::unordered_map<shape_key, std::uint32_t, hash, equal> positions_;
};

}  // namespace scattergate::telemetry
