#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/message_digest.hpp"

namespace scattergate::routing {

/// What a digest of a command with this name may omit without changing the result of classify()
/// with `known`, or the shape: fields of new documents and updates that belong to no
/// collection's shard key (`known.key_roots()`) and don't show in a shape. Valid as long as the
/// catalog.
///
/// Field names longer than wire::message_digest::abridged_bytes that are values in an update
/// ($rename, $unset, "$path") are truncated.
[[nodiscard]] wire::digest_rules digest_rules_for(std::string_view command,
                                                  const catalog& known) noexcept;

}  // namespace scattergate::routing
