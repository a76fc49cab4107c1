#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "telemetry/metrics/exposition.hpp"

/// What a request says of the form that it would have its answer in (RFC 9110, 12.5).
namespace scattergate::telemetry {

/// How an answer is compressed.
enum class content_coding : std::uint8_t { identity, gzip, zstd };
[[nodiscard]] std::string_view label(content_coding coding) noexcept;

/// The form of an answer.
struct answer_form {
  exposition_format format = exposition_format::text;  ///< of /metrics
  content_coding coding = content_coding::identity;

  friend auto operator<=>(const answer_form&, const answer_form&) = default;
};

/// The format that a scrape's `Accept` asks for: OpenMetrics where it is named, of version
/// 1.0.0 or of none, and plain text isn't liked better.
[[nodiscard]] exposition_format wanted_format(std::string_view accept) noexcept;

/// Of what `Accept-Encoding` names and we have, what is liked best, and of equals the fastest.
[[nodiscard]] content_coding wanted_coding(std::string_view accept_encoding) noexcept;

}  // namespace scattergate::telemetry
