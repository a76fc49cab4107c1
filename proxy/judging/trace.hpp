#pragma once

#include <cstddef>
#include <span>

#include "wire/header.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {

/// The trace that a request belongs to, as its section of kind 3 says, else its `comment`
/// (comment.hpp); none of what is compressed, or isn't there as a whole. Bounded work, no heap;
/// as the walk over a command's top level, so for those that it is told of.
[[nodiscard]] wire::trace_id trace_of(const wire::message_header& header,
                                      std::span<const std::byte> message) noexcept;

}  // namespace scattergate::proxy
