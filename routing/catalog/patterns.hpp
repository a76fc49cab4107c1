#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "routing/catalog/catalog.hpp"

/// Patterns: entries whose namespace has `*` or `?`, for databases whose names are generated
/// per run. They are sorted behind all other entries, the longest first.
namespace scattergate::routing {

/// The maximum number of patterns: each is compared with every namespace that isn't listed.
inline constexpr std::size_t max_patterns = 100;

/// Whether an entry is a pattern. An entry with a use mark is a cluster's real collection: its
/// name is taken literally.
[[nodiscard]] bool is_pattern(const collection& entry) noexcept;

/// The first pattern that a namespace matches, or null. No heap.
[[nodiscard]] const collection* find_pattern(std::span<const collection> entries,
                                             wire::namespace_view ns) noexcept;

/// The pattern that stands for a database with a generated name: the longest in `entries` that
/// matches, unless an entry names that database literally. Empty if there is none. Ignores a
/// pattern of wildcards alone, which says nothing about the name.
[[nodiscard]] std::string_view pattern_of_database(std::span<const collection> entries,
                                                   std::string_view database) noexcept;

/// Sorts entries by database and name, with the patterns after them.
void sort_entries(std::span<collection> entries);

}  // namespace scattergate::routing
