#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wire/seeded_hash.hpp"

namespace scattergate::wire {

/// The names of a database and of a collection in it, the latter empty where the database
/// itself is meant. Two views: valid as long as the names are.
///
/// Thread-safety: immutable.
struct namespace_view {
  std::string_view database;
  std::string_view collection;

  /// "database.collection", split at its first dot, since a collection's name may have others;
  /// nothing where there is none.
  [[nodiscard]] static constexpr std::optional<namespace_view> of(
      std::string_view full) noexcept {
    const std::size_t dot = full.find('.');
    if (dot == full.npos) return std::nullopt;
    return namespace_view{full.substr(0, dot), full.substr(dot + 1)};
  }

  /// Whether a server could have a namespace of these names: no dot in the database's, no NUL.
  [[nodiscard]] constexpr bool is_possible() const noexcept {
    constexpr char nul = '\0';
    return database.find('.') == database.npos && database.find(nul) == database.npos &&
           collection.find(nul) == collection.npos;
  }

  /// "database.collection", or the database's name alone.
  [[nodiscard]] std::string full_name() const {
    std::string full{database};
    if (!collection.empty()) full.append(".").append(collection);
    return full;
  }

  friend constexpr bool operator==(const namespace_view&,
                                   const namespace_view&) noexcept = default;
};

/// For tables by namespace, within one process.
[[nodiscard]] inline std::size_t seeded_hash(const namespace_view& of) noexcept {
  return seeded_hash(of.collection, seeded_hash(of.database));
}

}  // namespace scattergate::wire
