#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tests/routing/judging_support.hpp"

namespace scattergate::routing_tests {

/// Makes a catalog in which db.c is sharded by {p: 1}. The shard "0" has p < 10, "1" has p from
/// 10 to below 20, and "2" has the rest. The shard "3" has only the collection db.other.
inline std::shared_ptr<const routing::catalog> thirds(std::string_view version = "8.0") {
  return catalog_of(R"({"version": ")" + std::string{version} + R"(", "collections": [
    {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]},
    {"ns": "db.pairs", "key": {"a.b": 1, "c": 1}, "splits": [{"a.b": 10}]},
    {"ns": "db.ids", "key": {"_id": "hashed"}, "splits": [{"_id": {"$numberLong": "0"}}]},
    {"ns": "db.local"},
    {"ns": "db.other", "key": {"x": 1}, "splits": [], "shards": ["3"]}]})");
}

}  // namespace scattergate::routing_tests
