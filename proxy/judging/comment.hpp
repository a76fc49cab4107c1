#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "wire/command.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {

/// The traceparent in a command's `comment`: of a document that named so, of a string the first
/// in it. 55 bytes, or empty where there is none that is well formed. Bounded work, no heap.
[[nodiscard]] std::string_view traceparent_in_comment(wire::document_view body) noexcept;

/// What an application says of a command in its `comment`: a string as it is; a document as
/// "?object", anything else as "?value"; empty without one. At most limits::max_comment_bytes,
/// cut between UTF-8 characters.
///
/// Tracers put a trace context there, another one for each command, which is no comment and
/// would make every command a caller of its own. So of a document with a `traceparent` the
/// comment is its `text` (OpenTelemetry: semantic conventions for databases), and a traceparent
/// in a string is left out, with its name, its quotes and its comma, and a `tracestate` too
/// (sqlcommenter; Datadog's "dddbs='..',ddps='..',traceparent='00-..-..-01'", whose other parts
/// say where commands come from, and stay).
///
/// Bounded work, no heap.
class comment_text {
 public:
  comment_text() noexcept = default;
  comment_text(const comment_text&) = delete;
  comment_text& operator=(const comment_text&) = delete;

  /// Views the command or this. Valid as long as both are, until the next.
  std::string_view read(const wire::command& command) noexcept;

 private:
  [[nodiscard]] std::string_view without_trace(std::string_view text) noexcept;

  static constexpr std::size_t longest_character = 4;
  // Uninitialised on purpose: only what was written is read.
  std::array<char, wire::limits::max_comment_bytes + longest_character> kept_;
};

}  // namespace scattergate::proxy
