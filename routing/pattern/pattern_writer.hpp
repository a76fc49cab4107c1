#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"
#include "routing/verdict.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::routing {

/// Writes into `to` the pattern of the commands that are judged as `made` was, and have the
/// same shape. False where other literals might have made another verdict, as wherever a chunk
/// decides, or where nobody has looked: only find, count, distinct, findAndModify and batches
/// of one insert, update or delete have patterns, and only where filters are conjunctions of
/// plain fields. `message` is what `made` was made of by `entries`, `bytes` all of it.
[[nodiscard]] bool write_pattern(const wire::op_msg& message, std::span<const std::byte> bytes,
                                 const verdict& made, const catalog& entries,
                                 pattern& to) noexcept;

}  // namespace scattergate::routing
