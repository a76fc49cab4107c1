#pragma once

#include <string>
#include <string_view>

/// Percent-encoding of URIs (RFC 3986, 2.1).
namespace scattergate::text {

/// Encodes everything except letters, digits and "-._~".
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Decodes the escapes in `text`; all other text stays unchanged.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace scattergate::text
