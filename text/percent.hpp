#pragma once

#include <string>
#include <string_view>

/// Percent-encoding, as URIs have it (RFC 3986, 2.1).
namespace scattergate::text {

/// All but letters, digits and "-._~" encoded.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// What isn't an escape stays as it is.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace scattergate::text
