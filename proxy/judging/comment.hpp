#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "wire/command.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {

/// The traceparent (W3C Trace Context, 55 bytes) in a command's `comment`. If the comment is a
/// document: the document's field `traceparent`. If it is a string: the first traceparent in
/// the string. Empty if there is no well-formed traceparent. `body`: the command. Bounded
/// work; doesn't allocate.
[[nodiscard]] std::string_view traceparent_in_comment(wire::document_view body) noexcept;

/// Formats a command's comment for lists of callers and for audit lines. A string is shown
/// without its trace context. For a document with a `traceparent`, the document's field `text`
/// is shown (OpenTelemetry: semantic conventions for databases). Any other document is shown as
/// "?object", and any other value as "?value". Empty if there is no comment. Truncated to
/// limits::max_comment_bytes, between UTF-8 characters.
///
/// Trace contexts are removed because they differ for each command: each command would seem to
/// come from another caller. From a string, traceparent and tracestate are removed with their
/// names, quotes and commas (sqlcommenter). In Datadog's comments,
/// "dddbs='..',ddps='..',traceparent='00-..-..-01'", the first two parts remain: they identify
/// the sender.
///
/// Bounded work; doesn't allocate.
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
