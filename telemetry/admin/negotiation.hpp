#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "telemetry/metrics/exposition.hpp"

/// Content negotiation: the form of reply that a request prefers (RFC 9110, section 12.5).
namespace scattergate::telemetry {

/// The compression of a reply.
enum class content_coding : std::uint8_t { identity, gzip, zstd };
/// The coding's name in the header Content-Encoding.
[[nodiscard]] std::string_view label(content_coding coding) noexcept;

/// The form of a reply.
struct answer_form {
  exposition_format format = exposition_format::text;  ///< for /metrics only
  content_coding coding = content_coding::identity;    ///< compression; identity: none

  friend auto operator<=>(const answer_form&, const answer_form&) = default;
};

/// The metrics format that the header `Accept` prefers, by its qualities (q=). OpenMetrics if
/// the header accepts it, with version 1.0.0 or without a version, at a quality not below that
/// of text/plain. Otherwise the Prometheus text format.
[[nodiscard]] exposition_format requested_format(std::string_view accept) noexcept;

/// The compression that the header `Accept-Encoding` prefers, by its qualities (q=): zstd or
/// gzip, whichever has the higher one; zstd if they are equal. Identity if the header accepts
/// neither.
[[nodiscard]] content_coding requested_coding(std::string_view accept_encoding) noexcept;

}  // namespace scattergate::telemetry
