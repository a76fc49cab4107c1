#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "wire/command.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {

/// The traceparent in a command's `comment`: a document's field of that name, or the first one
/// in a string. 55 bytes; empty if there is no well-formed one. Bounded work, no heap.
[[nodiscard]] std::string_view traceparent_in_comment(wire::document_view body) noexcept;

/// Formats a command's comment for callers and audit lines: a string unchanged, a document as
/// "?object", any other value as "?value"; empty if there is none. Truncated to
/// limits::max_comment_bytes, between UTF-8 characters.
///
/// Removes trace contexts, which differ for each command and would make each one a separate
/// caller. For a document with a `traceparent`, uses its `text` (OpenTelemetry: semantic
/// conventions for databases). From a string, removes traceparent and tracestate with their
/// names, quotes and commas (sqlcommenter). Keeps the other parts of Datadog's
/// "dddbs='..',ddps='..',traceparent='00-..-..-01'", which identify the sender.
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
