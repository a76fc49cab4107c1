#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::advise {

/// What is known of the values of some fields together, from sketches or exact counts.
struct value_statistics {
  std::optional<double> cardinality;   ///< how many values
  std::vector<double> top_shares;      ///< of the commonest, 0 to 1, the greatest first
  std::optional<double> monotonicity;  ///< -1 to 1: how values follow the order they came in
  std::optional<double> per_minute_max_share;  ///< what the commonest of a minute has, 0 to 1
};

/// Who keeps such statistics: of the fields of a namespace, in this order; nothing where it has
/// none.
using statistics_source = std::function<std::optional<value_statistics>(
    std::string_view name_space, const std::vector<std::string>& paths)>;

}  // namespace scattergate::advise
