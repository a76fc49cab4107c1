#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/bson.hpp"

/// The trace context that drivers send (W3C Trace Context; specifications: open-telemetry.md).
namespace scattergate::wire {

/// The trace that a command belongs to. All zeros: none. Thread-safety: immutable.
struct trace_id {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  /// Set by the trace's originator; only then is the trace stored anywhere.
  bool is_sampled = false;

  explicit operator bool() const noexcept { return high != 0 || low != 0; }
  friend bool operator==(const trace_id&, const trace_id&) = default;
};

/// The trace id in a traceparent; zeros if `traceparent` isn't valid.
[[nodiscard]] trace_id trace_id_of(std::string_view traceparent) noexcept;

/// The trace id as 32 hex digits.
[[nodiscard]] std::string trace_id_text(const trace_id& trace);

/// The largest telemetry section that is searched for a traceparent, in bytes: several times
/// the size of a traceparent and a tracestate (W3C: 512 bytes).
inline constexpr std::size_t max_telemetry_bytes = 4096;

/// Whether `text` is a traceparent: `00-<32 hex digits>-<16 hex digits>-<2 hex digits>` in
/// lower case, neither id all zeros. A later version (`ff` is invalid) may have more after
/// another dash.
[[nodiscard]] bool is_traceparent(std::string_view text) noexcept;

/// The traceparent in the document of an OP_MSG's section of kind 3, `{otel: {traceparent:
/// ...}}`: its first 55 bytes, without what a later version appends. Empty if it is missing or
/// malformed, or the document is larger than max_telemetry_bytes.
[[nodiscard]] std::string_view traceparent_of(document_view telemetry) noexcept;

}  // namespace scattergate::wire
