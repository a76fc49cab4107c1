#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wire/seeded_hash.hpp"

namespace scattergate::wire {

/// A namespace: the name of a database and of one of its collections. For the database itself,
/// `collection` is empty. A view: doesn't own the names. Thread-safety: immutable.
struct namespace_view {
  std::string_view database;
  std::string_view collection;

  /// Splits "database.collection" at the first dot, because a collection's name may contain
  /// dots; std::nullopt if there is no dot.
  [[nodiscard]] static constexpr std::optional<namespace_view> of(
      std::string_view full) noexcept {
    const std::size_t dot = full.find('.');
    if (dot == full.npos) return std::nullopt;
    return namespace_view{full.substr(0, dot), full.substr(dot + 1)};
  }

  /// Whether a server could have this namespace: no dot in the database's name, and no NUL.
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

/// Whether MongoDB itself keeps its data in this database.
[[nodiscard]] constexpr bool is_server_database(std::string_view database) noexcept {
  return database == "admin" || database == "config" || database == "local";
}

/// Hashes a namespace. The hash is valid only within this process.
[[nodiscard]] inline std::size_t seeded_hash(const namespace_view& of) noexcept {
  return seeded_hash(of.collection, seeded_hash(of.database));
}

}  // namespace scattergate::wire
