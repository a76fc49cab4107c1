#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/bson.hpp"

/// Trace context that drivers send along (W3C Trace Context; specifications:
/// open-telemetry.md).
namespace scattergate::wire {

/// Which trace a command belongs to. All zeros: none.
/// Thread-safety: immutable.
struct trace_id {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool is_sampled = false;  ///< by who began it: only then is it kept anywhere

  explicit operator bool() const noexcept { return high != 0 || low != 0; }
  friend bool operator==(const trace_id&, const trace_id&) = default;
};

/// That of a traceparent; none where it is no traceparent.
[[nodiscard]] trace_id trace_id_of(std::string_view traceparent) noexcept;

/// Its 32 hex digits.
[[nodiscard]] std::string trace_id_text(const trace_id& trace);

/// The largest telemetry section of which the traceparent is read, in bytes: a traceparent and
/// a tracestate (W3C: 512 bytes) several times over.
inline constexpr std::size_t max_telemetry_bytes = 4096;

/// Whether `text` is a traceparent: `00-<32 hex digits>-<16 hex digits>-<2 hex digits>` in
/// lower case, neither id all zeros; of a later version (`ff` is none) more may follow behind a
/// dash.
[[nodiscard]] bool is_traceparent(std::string_view text) noexcept;

/// The traceparent in what an OP_MSG's section of kind 3 holds, `{otel: {traceparent: ...}}`:
/// without what a later version has behind it, so 55 bytes. Empty where there is none that is
/// well formed, and where the document is larger than max_telemetry_bytes.
[[nodiscard]] std::string_view traceparent_of(document_view telemetry) noexcept;

}  // namespace scattergate::wire
