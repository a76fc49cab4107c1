#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "routing/catalog/catalog.hpp"

/// Entries whose namespace has `*` or `?`, for databases whose names are made up for each run.
/// They stand behind all others, the longest first.
namespace scattergate::routing {

/// How many there may be: each is compared with what isn't listed otherwise.
inline constexpr std::size_t max_patterns = 100;

/// Whether an entry is one: a cluster's own collection, which somebody wants to know the use
/// of, is called what it is called.
[[nodiscard]] bool is_pattern(const collection& entry) noexcept;

/// The first that a namespace matches, or null. No heap.
[[nodiscard]] const collection* find_pattern(std::span<const collection> entries,
                                             wire::namespace_view wanted) noexcept;

/// The pattern by which a database is called whose name is made up for each run: the longest
/// that it matches of those in entries, unless an entry names that database itself. Empty:
/// none.
/// `*` alone says nothing of how the name is made.
[[nodiscard]] std::string_view pattern_of_database(std::span<const collection> entries,
                                                   std::string_view database) noexcept;

/// Sorts entries by database and name, and patterns behind them.
void sort_entries(std::span<collection> entries);

}  // namespace scattergate::routing
