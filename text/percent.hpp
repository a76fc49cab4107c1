#pragma once

#include <string>
#include <string_view>

/// Percent-encoding of URIs (RFC 3986, 2.1).
namespace scattergate::text {

/// Encodes every byte except ASCII letters, digits and "-._~" as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Decodes every valid %XX in `text`; everything else stays unchanged.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace scattergate::text
