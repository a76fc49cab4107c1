#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::text {

/// The name in `known` that a user probably meant by `written`: allows one typing error (a
/// letter wrong, missing or extra, or two swapped) for each three letters of `written`, and at
/// least one. Empty if no name is close enough, or if `written` is longer than 40 bytes.
[[nodiscard]] std::string_view nearest(std::string_view written,
                                       const std::vector<std::string_view>& known);

/// "; did you mean 'NAME'?" with the result of nearest(), to append to a message; empty if no
/// name is close enough.
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       const std::vector<std::string_view>& known);

}  // namespace scattergate::text
