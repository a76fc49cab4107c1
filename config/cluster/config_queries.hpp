#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "config/cluster/config_records.hpp"

/// What is asked of a cluster's `config` database, as BSON.
namespace scattergate::config {

using bson_document = std::vector<std::byte>;

/// `{}`.
[[nodiscard]] bson_document match_all();

/// A find's options: only the fields that are read, in batches of moderate size.
[[nodiscard]] bson_document collection_options();

/// Those of listCollections: only views.
[[nodiscard]] bson_document view_options();

/// The same for chunks, oldest version first, as mongos reads them: what changes while the
/// cursor is open comes up again behind it.
[[nodiscard]] bson_document chunk_options();

/// The chunks of a collection, by UUID or by namespace, those from a version on.
[[nodiscard]] bson_document chunk_filter(const routing::collection& of, const incarnation& is,
                                         bool by_uuid, std::optional<chunk_version> from);

/// A collection whose chunks are asked for together with others'.
struct chunks_wanted {
  const routing::collection* of = nullptr;
  const incarnation* is = nullptr;
  chunk_version from;
};

/// The chunks of any of these, of each from its version on. A branch of an $or for each, which
/// takes a seek in an index that every config server has: {uuid: 1, lastmod: 1}, up to 4.4
/// {ns: 1, lastmod: 1} (mongo: db/s/config/sharding_catalog_manager.cpp).
[[nodiscard]] bson_document newer_filter(std::span<const chunks_wanted> wanted, bool by_uuid);

/// Of those no more than that index holds.
[[nodiscard]] bson_document newer_options(bool by_uuid);

/// All chunks of these, whatever their versions.
[[nodiscard]] bson_document chunks_filter(std::span<const chunks_wanted> wanted, bool by_uuid);

/// Collection by collection, of each the oldest version first, for the reason above: in the
/// order of that index, so that nobody has to sort.
[[nodiscard]] bson_document chunks_options(bool by_uuid);

}  // namespace scattergate::config
