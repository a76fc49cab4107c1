#pragma once

#include <cstddef>
#include <span>

#include "wire/header.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {

/// The trace id of a request, from its section of kind 3 or else its `comment` (comment.hpp);
/// none if the request is compressed or incomplete. Bounded work, no heap. Reads all top-level
/// fields, so call it only if a subscriber needs the trace.
[[nodiscard]] wire::trace_id trace_of(const wire::message_header& header,
                                      std::span<const std::byte> message) noexcept;

}  // namespace scattergate::proxy
