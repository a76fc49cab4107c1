#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "routing/catalog/catalog.hpp"

/// Patterns: catalog entries whose database or collection name contains the wildcards `*` or
/// `?`, for databases with generated names. In a catalog they follow all other entries; longer
/// patterns precede shorter ones.
namespace scattergate::routing {

/// The maximum number of patterns. Limited because every namespace without an entry is
/// compared with each pattern.
inline constexpr std::size_t max_patterns = 100;

/// Whether an entry is a pattern. An entry with a use mark (collection::use) is never a
/// pattern: it is an existing collection of the cluster, whose name may contain `*` or `?`.
[[nodiscard]] bool is_pattern(const collection& entry) noexcept;

/// The first pattern that matches a namespace; null if there is none. `entries` must be sorted
/// by sort_entries(). No heap.
[[nodiscard]] const collection* find_pattern(std::span<const collection> entries,
                                             wire::namespace_view ns) noexcept;

/// The database pattern that stands for a database with a generated name: "tenant_*" for
/// "tenant_17". It is the longest database name with wildcards in `entries` that matches
/// `database`. Database names of wildcards only ("*") don't count. Empty if there is none, or
/// if `entries` lists a collection of `database` by name. `entries` must be sorted by
/// sort_entries().
[[nodiscard]] std::string_view pattern_of_database(std::span<const collection> entries,
                                                   std::string_view database) noexcept;

/// Sorts a catalog's entries: first those that aren't patterns, by database and name; then the
/// patterns, by descending length.
void sort_entries(std::span<collection> entries);

}  // namespace scattergate::routing
