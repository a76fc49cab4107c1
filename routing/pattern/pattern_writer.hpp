#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"
#include "routing/verdict.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::routing {

/// Writes to `to` the pattern of the commands that have the verdict `made` and the same shape.
/// False if other literals might lead to another verdict, as wherever a chunk decides, or if
/// that wasn't analysed: only find, count, distinct, findAndModify and batches of one insert,
/// update or delete have patterns, and only if their filters are conjunctions of plain fields.
/// `made` is the verdict on `message` by `entries`; `bytes` is the whole message.
[[nodiscard]] bool write_pattern(const wire::op_msg& message, std::span<const std::byte> bytes,
                                 const verdict& made, const catalog& entries,
                                 pattern& to) noexcept;

}  // namespace scattergate::routing
