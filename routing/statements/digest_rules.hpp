#pragma once

#include "routing/catalog/catalog.hpp"
#include "wire/message_digest.hpp"

namespace scattergate::routing {

/// The rules for digesting a command: which parts wire::message_digest may omit or shorten
/// without changing the command's shape or the result of classify() with the catalog `known`.
/// These are fields of new documents and updates that belong to no shard key
/// (`known.key_roots()`) and aren't in the shape. The result refers to `known`.
///
/// Of an update, field names that are values ($rename, $unset, "$path") are truncated to
/// wire::message_digest::abridged_bytes.
[[nodiscard]] wire::digest_rules digest_rules_for(std::string_view command,
                                                  const catalog& known) noexcept;

}  // namespace scattergate::routing
