#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::advise {

/// Statistics of the combined values of one or more fields, from sketches or exact counts.
struct value_statistics {
  double requests = 0;                 ///< statements and new documents that were counted
  std::optional<double> cardinality;   ///< number of distinct values
  double pinned_share = 1;             ///< the share of requests that have a value, 0 to 1
  std::vector<double> top_shares;      ///< shares of the most frequent values, 0 to 1, greatest
                                       ///< first
  std::optional<double> monotonicity;  ///< correlation of values with their order of arrival,
                                       ///< -1 to 1
  std::optional<double> per_minute_max_share;  ///< the share of the most frequent value within
                                               ///< a minute, 0 to 1
  /// The share of the most frequent combined value within a minute, of the fields in front of
  /// the key's growing field only; see traffic::growing_place().
  std::optional<double> per_minute_of_prefix;
};

/// Returns the statistics of a namespace's fields, in this order; std::nullopt if it has none.
using statistics_source = std::function<std::optional<value_statistics>(
    std::string_view name_space, const std::vector<std::string>& paths)>;

}  // namespace scattergate::advise
