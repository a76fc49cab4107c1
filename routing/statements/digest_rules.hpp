#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/message_digest.hpp"

namespace scattergate::routing {

/// The rules by which wire::message_digest makes a shortened copy of a long command. In new
/// documents and in updates, the copy may omit or shorten the fields that belong to no shard
/// key (`known.key_roots()`). The copy has the same shape as the command and, with the catalog
/// `known`, the same verdict. `command`: the command's name. `known` must outlive the result.
///
/// Field names that are values in an update ($rename, $unset, "$path") are truncated to
/// wire::message_digest::abridged_bytes.
[[nodiscard]] wire::digest_rules digest_rules_for(std::string_view command,
                                                  const catalog& known) noexcept;

}  // namespace scattergate::routing
