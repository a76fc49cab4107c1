#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "digest/table.hpp"
#include "text/problem.hpp"

/// The lines of a stored digest (digest/stored.hpp).
namespace scattergate::digest {

/// A row's line is never longer, in bytes.
inline constexpr std::size_t max_stored_row_bytes = 128UL << 10;

/// Appends all that a row has, as one line. Where the line would be too long its callers are
/// counted as others, and if that isn't enough, its description is left out.
void append_stored(std::string& to, const row& of);

/// The row of a line. Unknown members are ignored.
[[nodiscard]] text::result<row> stored_row(std::string_view line);

/// The same of the totals and what stands beside them.
struct stored_sums {
  totals all;
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;
};
inline constexpr std::string_view stored_sums_begin = R"({"totals":)";
void append_stored(std::string& to, const stored_sums& of);
[[nodiscard]] text::result<stored_sums> read_stored_sums(std::string_view line);

}  // namespace scattergate::digest
