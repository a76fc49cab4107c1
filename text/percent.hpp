#pragma once

#include <string>
#include <string_view>

/// Percent-encoding and queries of URIs (RFC 3986, 2.1 and 3.4).
namespace scattergate::text {

/// Encodes every byte except ASCII letters, digits and "-._~" as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Decodes every valid %XX in `text`; everything else stays unchanged.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// The value of a parameter in the query of a request's target: "x" for `name` "ns" in
/// "/a?ns=x". Still percent-encoded; empty if there is no such parameter.
[[nodiscard]] std::string_view query_parameter(std::string_view target,
                                               std::string_view name) noexcept;

}  // namespace scattergate::text
