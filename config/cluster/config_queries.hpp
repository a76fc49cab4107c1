#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "config/cluster/config_records.hpp"
#include "wire/bson.hpp"

/// The filters and options of queries on a cluster's database `config`, as BSON.
namespace scattergate::config {

using bson_document = std::vector<std::byte>;

/// A view of `bytes`, which must outlive it; of the empty document if they aren't valid BSON.
[[nodiscard]] wire::document_view view_of(const bson_document& bytes) noexcept;

/// The filter `{}`, which matches every document.
[[nodiscard]] bson_document match_all();

/// Options of the find on config.collections: only the fields that scattergate reads, in
/// batches of moderate size.
[[nodiscard]] bson_document collection_options();

/// Options of listCollections: only views.
[[nodiscard]] bson_document view_options();

/// Options of the find on one collection's chunks: oldest version first, as mongos reads
/// chunks. A chunk that changes while the cursor is open gets a later version, so the cursor
/// returns it again at its end.
[[nodiscard]] bson_document chunk_options();

/// A filter for the chunks of the collection `of` with the identity `is`. `by_uuid`: find them
/// by UUID (since MongoDB 5.0), otherwise by namespace. `from`: only chunks with this version
/// or a later one; std::nullopt: all.
[[nodiscard]] bson_document chunk_filter(const routing::collection& of, const incarnation& is,
                                         bool by_uuid, std::optional<chunk_version> from);

/// One collection in a query for the chunks of many collections. The pointers aren't owned.
struct chunk_request {
  const routing::collection* of = nullptr;  ///< the collection
  const incarnation* is = nullptr;          ///< the collection's identity
  chunk_version from;                       ///< the first version to read
};

/// A filter for the new chunks of several collections: those with the version
/// chunk_request::from or a later one. `by_uuid`: see chunk_filter(). The filter is an $or with
/// a branch per collection. Each branch needs one seek in an index that every config server
/// has: {uuid: 1, lastmod: 1}; up to 4.4 {ns: 1, lastmod: 1} (mongo:
/// db/s/config/sharding_catalog_manager.cpp).
[[nodiscard]] bson_document newer_filter(std::span<const chunk_request> requested,
                                         bool by_uuid);

/// Options of the find with newer_filter(): returns only the fields `lastmod` and `uuid` (or
/// `ns`), which the index has.
[[nodiscard]] bson_document newer_options(bool by_uuid);

/// A filter for all chunks of these collections; ignores chunk_request::from. `by_uuid`: see
/// chunk_filter().
[[nodiscard]] bson_document chunks_filter(std::span<const chunk_request> requested,
                                          bool by_uuid);

/// Options of the find with chunks_filter(): sorted by collection, then oldest version first,
/// so that chunks that change during the read are returned again. This is the order of the
/// index, so the server doesn't have to sort.
[[nodiscard]] bson_document chunks_options(bool by_uuid);

}  // namespace scattergate::config
