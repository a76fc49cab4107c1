#pragma once

#include <cstddef>
#include <span>

#include "wire/header.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {

/// The trace id of a request: from its section of kind 3 (OpenTelemetry), or else from its
/// `comment` (comment.hpp). False as a bool if there is none, or if the request is compressed
/// or incomplete. Bounded work, no heap. Reads all top-level fields, so call it only if the
/// trace will be shown.
[[nodiscard]] wire::trace_id trace_of(const wire::message_header& header,
                                      std::span<const std::byte> message) noexcept;

}  // namespace scattergate::proxy
