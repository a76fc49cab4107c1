#pragma once

#include <cstddef>
#include <span>

#include "wire/header.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {

/// The trace of a request, from its section of kind 3 or else its `comment` (comment.hpp); none
/// for a compressed or incomplete request. Bounded work, no heap, but walks the command's top
/// level: call it only if a subscriber needs it.
[[nodiscard]] wire::trace_id trace_of(const wire::message_header& header,
                                      std::span<const std::byte> message) noexcept;

}  // namespace scattergate::proxy
