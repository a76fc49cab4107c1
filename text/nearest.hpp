#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::text {

/// The name in `known` that a user probably meant by `written`. Allows one typing error per
/// three bytes of `written`, and at least one. An error is a wrong, missing or extra byte, or
/// two swapped ones. Empty if no name is close enough, or if `written` is longer than 40 bytes.
[[nodiscard]] std::string_view nearest(std::string_view written,
                                       const std::vector<std::string_view>& known);

/// A text to append to an error message: "; did you mean 'NAME'?" with the result of nearest().
/// Empty if no name is close enough.
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       const std::vector<std::string_view>& known);

}  // namespace scattergate::text
