#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "telemetry/metrics/exposition.hpp"

/// Content negotiation: the form of reply that a request prefers (RFC 9110, section 12.5).
namespace scattergate::telemetry {

/// The compression of a reply.
enum class content_coding : std::uint8_t { identity, gzip, zstd };
[[nodiscard]] std::string_view label(content_coding coding) noexcept;

/// The form of a reply.
struct answer_form {
  exposition_format format = exposition_format::text;  ///< of /metrics
  content_coding coding = content_coding::identity;

  friend auto operator<=>(const answer_form&, const answer_form&) = default;
};

/// The metrics format that the header `Accept` prefers: OpenMetrics if it names that with
/// version 1.0.0 or no version, unless plain text has a higher quality.
[[nodiscard]] exposition_format requested_format(std::string_view accept) noexcept;

/// The supported coding that the header `Accept-Encoding` prefers; of equals, the fastest.
[[nodiscard]] content_coding requested_coding(std::string_view accept_encoding) noexcept;

}  // namespace scattergate::telemetry
