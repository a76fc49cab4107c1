#pragma once

#include <cstddef>
#include <span>

#include "wire/header.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {

/// The OpenTelemetry trace id of a request. Searches the request's section of kind 3 first,
/// then its `comment` (comment.hpp). The result converts to false if there is no trace id, or
/// if the request isn't a complete, uncompressed OP_MSG. The work is bounded; doesn't allocate.
/// Reads all top-level fields, so call it only if the trace will be shown.
[[nodiscard]] wire::trace_id trace_of(const wire::message_header& header,
                                      std::span<const std::byte> message) noexcept;

}  // namespace scattergate::proxy
