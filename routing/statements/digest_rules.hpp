#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/message_digest.hpp"

namespace scattergate::routing {

/// The rules by which a digest of this command may omit fields without changing its shape or
/// the result of classify() with `known`: fields of new documents and updates that belong to no
/// shard key (`known.key_roots()`) and don't appear in a shape. Valid as long as the catalog.
///
/// Field names in an update's values ($rename, $unset, "$path") are truncated to
/// wire::message_digest::abridged_bytes.
[[nodiscard]] wire::digest_rules digest_rules_for(std::string_view command,
                                                  const catalog& known) noexcept;

}  // namespace scattergate::routing
