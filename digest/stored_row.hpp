#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "digest/table.hpp"
#include "text/problem.hpp"

/// The lines of a stored digest (digest/stored.hpp).
namespace scattergate::digest {

/// The size limit of a row's line, in bytes.
inline constexpr std::size_t max_stored_row_bytes = 128UL << 10;

/// Appends a row as one line. If the line is too long, counts all callers as others; if that
/// doesn't suffice, omits the description's texts. `actions` replaces the row's own counts of
/// findings, unless it is null.
void append_stored(std::string& to, const row& of, const action_counts* actions = nullptr);

/// Parses a row's line; a problem if it is invalid. Ignores unknown members.
[[nodiscard]] text::result<row> stored_row(std::string_view line);

/// The sums line of a stored digest.
struct stored_sums {
  totals all;
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;
};
/// How the sums line begins.
inline constexpr std::string_view stored_sums_begin = R"({"totals":)";
/// Appends the sums as one line.
void append_stored(std::string& to, const stored_sums& of);
/// Parses the sums line; a problem if it is invalid.
[[nodiscard]] text::result<stored_sums> read_stored_sums(std::string_view line);

}  // namespace scattergate::digest
