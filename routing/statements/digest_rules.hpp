#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/message_digest.hpp"

namespace scattergate::routing {

/// What a digest of the command of this name may leave out, so that classify() by `known`, and
/// the shape, come out the same: of new documents and updates, what neither is part of a shard
/// key of any collection (`known.key_roots()`) nor shows in a shape. The rules hold as long as
/// the catalog.
///
/// Names of fields longer than wire::message_digest::abridged_bytes that stand as values in an
/// update ($rename, $unset, "$path") are cut.
[[nodiscard]] wire::digest_rules digest_rules_for(std::string_view command,
                                                  const catalog& known) noexcept;

}  // namespace scattergate::routing
