#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/bson.hpp"

/// Reads the trace context of commands: the ID of the distributed trace to which a command
/// belongs (W3C Trace Context; specifications: open-telemetry.md).
namespace scattergate::wire {

/// The ID of the trace to which a command belongs (128 bits); all zeros: no trace.
/// Thread-safety: immutable.
struct trace_id {
  std::uint64_t high = 0;  ///< the first 64 bits
  std::uint64_t low = 0;   ///< the last 64 bits
  /// The `sampled` flag: whether the client may have recorded the trace.
  bool is_sampled = false;

  /// Whether there is a trace.
  explicit operator bool() const noexcept { return high != 0 || low != 0; }
  friend bool operator==(const trace_id&, const trace_id&) = default;
};

/// The trace ID in a traceparent; all zeros if `traceparent` is invalid.
[[nodiscard]] trace_id trace_id_of(std::string_view traceparent) noexcept;

/// Formats a trace ID as 32 hex digits.
[[nodiscard]] std::string trace_id_text(const trace_id& trace);

/// The largest telemetry section that is searched for a traceparent, in bytes: several times
/// the size of a traceparent and a tracestate (W3C: 512 bytes).
inline constexpr std::size_t max_telemetry_bytes = 4096;

/// Whether `text` is a valid traceparent: `00-<32 hex digits>-<16 hex digits>-<2 hex digits>`,
/// in lower case, with IDs that aren't all zeros. Versions after `00` (except for `ff`) are
/// valid, too, and may have a dash and further text at the end.
[[nodiscard]] bool is_traceparent(std::string_view text) noexcept;

/// The first 55 bytes of the traceparent in an OP_MSG's telemetry document,
/// `{otel: {traceparent: ...}}`. Empty if the traceparent is missing or malformed, or if the
/// document is larger than max_telemetry_bytes.
[[nodiscard]] std::string_view traceparent_of(document_view telemetry) noexcept;

}  // namespace scattergate::wire
