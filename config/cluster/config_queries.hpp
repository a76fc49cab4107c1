#pragma once

#include <cstddef>
#include <optional>
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

}  // namespace scattergate::config
