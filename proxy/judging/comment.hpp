#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "wire/command.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {

/// The traceparent (W3C Trace Context) in a command's `comment`: if the comment is a document,
/// its field of that name; if it is a string, the first traceparent in it. 55 bytes; empty if
/// there is no well-formed one. `body`: the command. Bounded work, no heap.
[[nodiscard]] std::string_view traceparent_in_comment(wire::document_view body) noexcept;

/// Formats a command's comment for callers and audit lines: a string without its trace context,
/// a document as "?object", any other value as "?value"; empty if there is none. Truncated to
/// limits::max_comment_bytes, between UTF-8 characters.
///
/// Trace contexts are removed because they differ for each command: each command would count as
/// sent by a separate caller. For a document with a `traceparent`, the comment is its field
/// `text` (OpenTelemetry: semantic conventions for databases). From a string, traceparent and
/// tracestate are removed with their names, quotes and commas (sqlcommenter). In Datadog's
/// comments, "dddbs='..',ddps='..',traceparent='00-..-..-01'", the first two parts remain: they
/// identify the sender.
///
/// Bounded work, no heap.
class comment_text {
 public:
  comment_text() noexcept = default;
  comment_text(const comment_text&) = delete;
  comment_text& operator=(const comment_text&) = delete;

  /// Formats the command's comment. The result is a view into the command or this object, valid
  /// until the next read().
  std::string_view read(const wire::command& command) noexcept;

 private:
  [[nodiscard]] std::string_view without_trace(std::string_view text) noexcept;

  static constexpr std::size_t longest_character = 4;
  // Uninitialised on purpose: only bytes that were written are read.
  std::array<char, wire::limits::max_comment_bytes + longest_character> kept_;
};

}  // namespace scattergate::proxy
