#pragma once

#include <string_view>
#include <vector>

#include "bench/request.hpp"

/// The requests of the benchmark's cases. Each function returns several requests of one kind.
/// They differ in their values, so that branch prediction can't learn them. The collections are
/// in catalogs.hpp.
namespace scattergate::bench {

using requests = std::vector<request>;

/// Finds with an equality on the whole shard key.
[[nodiscard]] requests find_by_key(std::string_view collection);

/// Finds with a `$in` of 1,000 ObjectIds on the shard key.
[[nodiscard]] requests find_in(std::string_view collection);

/// Finds of a page of a project's documents, as the application Yorkie sends them.
[[nodiscard]] requests documents_page();
/// Finds of a range of a document's changes, as the application Yorkie sends them.
[[nodiscard]] requests changes_range();
/// Finds of active clients by the housekeeping of the application Yorkie. They ask every shard.
[[nodiscard]] requests find_active_clients();

/// Inserts of 100 documents.
[[nodiscard]] requests insert_100();
/// Batches of 100 updates.
[[nodiscard]] requests update_100();

/// Aggregations with a $match on the shard key and a $lookup into `hashed` by the shard key of
/// `hashed`.
[[nodiscard]] requests aggregate_lookup();

/// Finds of one value of the shard key of `large`.
[[nodiscard]] requests large_point();
/// Finds of a range of the shard key of `large`, from a value to the largest one.
[[nodiscard]] requests large_range();

}  // namespace scattergate::bench
