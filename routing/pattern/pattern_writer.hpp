#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"
#include "routing/verdict.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::routing {

/// Writes the pattern of a message to `to`. All messages that match it have the verdict `made`
/// and the same shape. Returns false if other literals might change the verdict, as where
/// chunks decide, or if the command isn't supported: only find, count, distinct, findAndModify
/// and batches of one insert, update or delete have patterns, and only with filters that are
/// conjunctions of plain fields. `made`: the verdict on `message` by `entries`. `bytes`: the
/// whole message.
[[nodiscard]] bool write_pattern(const wire::op_msg& message, std::span<const std::byte> bytes,
                                 const verdict& made, const catalog& entries,
                                 pattern& to) noexcept;

}  // namespace scattergate::routing
