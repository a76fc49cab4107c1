#pragma once

#include <string_view>
#include <vector>

#include "bench/request.hpp"

/// The requests of the cases. Those of one kind differ in their values, so that branch
/// prediction can't learn them.
namespace scattergate::bench {

using requests = std::vector<request>;

/// An equality on the whole key.
[[nodiscard]] requests find_by_key(std::string_view collection);

/// `$in` with 1,000 ObjectIds on the key.
[[nodiscard]] requests find_in(std::string_view collection);

// Yorkie's queries: a page of a project's documents, the changes of a document, and a
// housekeeping query to every shard.
[[nodiscard]] requests documents_page();
[[nodiscard]] requests changes_range();
[[nodiscard]] requests find_active_clients();

[[nodiscard]] requests insert_100();
[[nodiscard]] requests update_100();

/// A $match on the key and a $lookup into `hashed` by that collection's key.
[[nodiscard]] requests aggregate_lookup();

// On the key of `large`: one value, and a range from a value to the end.
[[nodiscard]] requests large_point();
[[nodiscard]] requests large_range();

}  // namespace scattergate::bench
