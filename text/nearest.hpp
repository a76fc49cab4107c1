#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::text {

/// The known name that was probably meant by `written`: one typing error (a letter wrong,
/// missing or extra, or two swapped) is allowed for each three letters. Empty if no name is
/// close enough.
[[nodiscard]] std::string_view nearest(std::string_view written,
                                       const std::vector<std::string_view>& known);

/// "; did you mean 'NAME'?"; empty if no name is close enough.
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       const std::vector<std::string_view>& known);

}  // namespace scattergate::text
