#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/sketches/sketch_set.hpp"

namespace scattergate::advise {

/// How many of the most frequent values statistics list (mongo:
/// analyzeShardKeyNumMostCommonValues).
inline constexpr std::size_t most_common_values = 5;

/// Statistics of the combined values of one or more fields. They come from sketches, which are
/// bounded statistics of hashed values. A request is a statement or a new document.
struct value_statistics {
  double requests = 0;                 ///< number of requests that were counted
  std::optional<double> cardinality;   ///< number of distinct values; empty: unknown
  double pinned_share = 1;             ///< the share of requests that have a value, 0 to 1
  std::vector<double> top_shares;      ///< shares of the most frequent values, 0 to 1, greatest
                                       ///< first
  std::optional<double> monotonicity;  ///< correlation of the first field's values with their
                                       ///< order of arrival, -1 to 1; empty: unknown
  std::optional<double> per_minute_max_share;  ///< the share of a minute's requests that have
                                               ///< the minute's most frequent value, 0 to 1;
                                               ///< empty: unknown
  /// The same share for the fields before the key's growing field (traffic::growing_place()):
  /// how many of a minute's requests have the minute's most frequent value of these fields, 0
  /// to 1. Empty: unknown, or no field precedes the growing one.
  std::optional<double> per_minute_of_prefix;
};

/// A function that returns the statistics of a collection's fields; std::nullopt if there are
/// none. `name_space`: "db.collection". `paths`: the fields' paths, in the order of the key.
using statistics_source = std::function<std::optional<value_statistics>(
    std::string_view name_space, const std::vector<std::string>& paths)>;

/// Makes a function that returns statistics of a collection's field values, from a daemon's
/// sketches. Sketches are bounded statistics of hashed values (the option advise.sketch). The
/// function returns std::nullopt if one of the fields has no sketch. For several fields, it
/// derives bounds from the sketches of single fields and pairs: a lower bound of the
/// cardinality, and upper bounds of the shares. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::sketch_pool& from);

/// Makes a function that returns statistics of field values, from the sketches (statistics of
/// hashed values) of one collection. The function ignores its argument `name_space`. If `from`
/// is null, returns an empty function. `from` must outlive the result.
[[nodiscard]] statistics_source statistics_in(const digest::collection_sketches* from);

}  // namespace scattergate::advise
