#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "digest/table.hpp"
#include "text/problem.hpp"

/// Writes and reads the lines of a stored digest (digest/stored.hpp): one for each row, and one
/// with the sums over all rows.
namespace scattergate::digest {

/// The size limit of a row's line, in bytes.
inline constexpr std::size_t max_stored_row_bytes = 128UL << 10;

/// Appends a row as one line, without a newline. Shortens a line that is longer than
/// max_stored_row_bytes: counts all callers as others, and if that isn't enough, omits the
/// description's texts. `actions`: the row's findings by action; null: the row's own counts.
void append_stored(std::string& to, const row& of, const action_counts* actions = nullptr);

/// Parses a row's line. Returns a problem if the line is invalid. Ignores unknown members.
[[nodiscard]] text::result<row> stored_row(std::string_view line);

/// The content of the line with the sums over all rows of a stored digest.
struct stored_sums {
  totals all;                      ///< over all commands, including those of evicted rows
  std::uint64_t evicted_rows = 0;  ///< the number of evicted rows
  std::uint64_t error_bound = 0;   ///< how much too low a new row's count may be
};
/// The beginning of the line with the sums.
inline constexpr std::string_view stored_sums_begin = R"({"totals":)";
/// Appends the sums as one line.
void append_stored(std::string& to, const stored_sums& of);
/// Parses the line with the sums. Returns a problem if the line is invalid.
[[nodiscard]] text::result<stored_sums> read_stored_sums(std::string_view line);

}  // namespace scattergate::digest
