#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"
#include "routing/verdict.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::routing {

/// Writes a pattern to `to`, so that later messages that differ from `message` only in values
/// needn't be judged. Every message that matches the pattern has the verdict `made`, and the
/// shape of `message`. `bytes`: the bytes of `message`, with its header. `made`: the verdict on
/// `message` with the catalog `entries`.
///
/// Returns false if there is no pattern: other values might change the verdict (for example
/// because the chunks decide), or the command isn't supported. Supported are find, count,
/// distinct, findAndModify, and batches of one insert, update or delete, if their filters are
/// conjunctions of plain fields.
[[nodiscard]] bool write_pattern(const wire::op_msg& message, std::span<const std::byte> bytes,
                                 const verdict& made, const catalog& entries,
                                 pattern& to) noexcept;

}  // namespace scattergate::routing
