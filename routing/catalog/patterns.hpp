#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "routing/catalog/catalog.hpp"

/// Patterns: catalog entries whose namespace contains `*` or `?`, for databases with generated
/// names. They follow all other entries, the longest first.
namespace scattergate::routing {

/// The maximum number of patterns, because each unlisted namespace is compared with all of
/// them.
inline constexpr std::size_t max_patterns = 100;

/// Whether an entry is a pattern. An entry with a use mark isn't: it is a real collection of a
/// cluster.
[[nodiscard]] bool is_pattern(const collection& entry) noexcept;

/// The first pattern that matches a namespace; null if there is none. No heap.
[[nodiscard]] const collection* find_pattern(std::span<const collection> entries,
                                             wire::namespace_view ns) noexcept;

/// The pattern for a database with a generated name: the longest in `entries` that matches,
/// unless an entry names the database literally. Empty if there is none. Ignores patterns that
/// consist of wildcards only.
[[nodiscard]] std::string_view pattern_of_database(std::span<const collection> entries,
                                                   std::string_view database) noexcept;

/// Sorts entries by database and name, followed by the patterns.
void sort_entries(std::span<collection> entries);

}  // namespace scattergate::routing
