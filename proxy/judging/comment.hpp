#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "wire/command.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {

/// The traceparent in a command's `comment`: the field of that name in a document, or the first
/// one in a string. 55 bytes, or empty if none is well-formed. Bounded work, no heap.
[[nodiscard]] std::string_view traceparent_in_comment(wire::document_view body) noexcept;

/// The comment of a command for callers and audit lines: a string as it is, a document as
/// "?object", anything else as "?value"; empty without one. At most limits::max_comment_bytes,
/// cut between UTF-8 characters.
///
/// Tracers put a trace context into the comment, which differs for each command and would make
/// each command a separate caller. So for a document with a `traceparent`, the comment is its
/// `text` (OpenTelemetry: semantic conventions for databases). From a string, traceparent and
/// tracestate are removed with their names, quotes and commas (sqlcommenter; in Datadog's
/// "dddbs='..',ddps='..',traceparent='00-..-..-01'" the other parts identify the sender, and
/// stay).
///
/// Bounded work, no heap.
class comment_text {
 public:
  comment_text() noexcept = default;
  comment_text(const comment_text&) = delete;
  comment_text& operator=(const comment_text&) = delete;

  /// The comment. A view into the command or this object, valid until the next read().
  std::string_view read(const wire::command& command) noexcept;

 private:
  [[nodiscard]] std::string_view without_trace(std::string_view text) noexcept;

  static constexpr std::size_t longest_character = 4;
  // Uninitialised on purpose: only written bytes are read.
  std::array<char, wire::limits::max_comment_bytes + longest_character> kept_;
};

}  // namespace scattergate::proxy
