#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "telemetry/metrics/exposition.hpp"

/// Content negotiation: the form of the answer that a request prefers (RFC 9110, 12.5).
namespace scattergate::telemetry {

/// The compression of an answer.
enum class content_coding : std::uint8_t { identity, gzip, zstd };
[[nodiscard]] std::string_view label(content_coding coding) noexcept;

/// The form of an answer.
struct answer_form {
  exposition_format format = exposition_format::text;  ///< of /metrics
  content_coding coding = content_coding::identity;

  friend auto operator<=>(const answer_form&, const answer_form&) = default;
};

/// The format that a scrape's `Accept` prefers. OpenMetrics if it is named with version 1.0.0
/// or without a version, unless plain text has a higher quality.
[[nodiscard]] exposition_format requested_format(std::string_view accept) noexcept;

/// The supported coding that `Accept-Encoding` prefers; the fastest of equals.
[[nodiscard]] content_coding requested_coding(std::string_view accept_encoding) noexcept;

}  // namespace scattergate::telemetry
