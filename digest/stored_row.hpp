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

/// Appends a row as one line. If the line is longer than max_stored_row_bytes, counts all
/// callers as others; if the line is still longer, omits the description's texts. `actions`:
/// written instead of the row's own counts of findings; null: the row's own.
void append_stored(std::string& to, const row& of, const action_counts* actions = nullptr);

/// Parses a row's line; a problem if it is invalid. Ignores unknown members.
[[nodiscard]] text::result<row> stored_row(std::string_view line);

/// The content of a stored digest's line with the sums over all rows.
struct stored_sums {
  totals all;                      ///< over all commands, including those of evicted rows
  std::uint64_t evicted_rows = 0;  ///< the number of evicted rows
  std::uint64_t error_bound = 0;   ///< how much too low a new row's count may be
};
/// The beginning of the line with the sums.
inline constexpr std::string_view stored_sums_begin = R"({"totals":)";
/// Appends the sums as one line.
void append_stored(std::string& to, const stored_sums& of);
/// Parses the line with the sums; a problem if it is invalid.
[[nodiscard]] text::result<stored_sums> read_stored_sums(std::string_view line);

}  // namespace scattergate::digest
