#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::text {

/// Of the names that are known, the one that was probably meant: one slip away (a letter wrong,
/// missing, too many, or two changed round) for each three letters. Empty where there is none.
[[nodiscard]] std::string_view nearest(std::string_view written,
                                       const std::vector<std::string_view>& known);

/// "; did you mean 'NAME'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       const std::vector<std::string_view>& known);

}  // namespace scattergate::text
