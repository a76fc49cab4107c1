#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// The queries of Yorkie, the reference workload, against its shard keys.
namespace scattergate::routing_tests {
namespace {

std::shared_ptr<const routing::catalog> yorkie() {
  return catalog_of(R"({"collections": [
    {"ns": "yorkie-meta.clients", "key": {"project_id": 1, "_id": "hashed"}},
    {"ns": "yorkie-meta.documents", "key": {"project_id": 1}},
    {"ns": "yorkie-meta.changes", "key": {"doc_id": "hashed"}},
    {"ns": "yorkie-meta.snapshots", "key": {"doc_id": "hashed"}},
    {"ns": "yorkie-meta.revisions", "key": {"doc_id": "hashed"}}]})");
}

TEST(yorkie, each_query_has_its_class) {
  const std::string p = R"({"$oid": "64b0c0ffee00000000000001"})";
  const std::string d = R"({"$oid": "64b0c0ffee00000000000002"})";
  struct named_query {
    std::string_view what;
    std::string command;
    std::string_view why;
    std::string_view missing;
    routing::reason lint = routing::reason::none;
  };
  const named_query queries[] = {
      {"documents, paged",
       R"({"find": "documents", "filter": {"project_id": )" + p +
           R"(, "removed_at": {"$exists": false}, "_id": {"$gt": )" + d +
           R"(}}, "sort": {"_id": 1}, "limit": 10})",
       "single_shard ", ""},
      {"changes of a document",
       R"({"find": "changes", "filter": {"project_id": )" + p + R"(, "doc_id": )" + d +
           R"(, "server_seq": {"$gte": 1, "$lte": 9}}, "sort": {"server_seq": 1}})",
       "single_shard ", ""},
      {"the closest snapshot",
       R"({"find": "snapshots", "filter": {"project_id": )" + p + R"(, "doc_id": )" + d +
           R"(, "server_seq": {"$lte": 9}}, "sort": {"server_seq": -1}, "limit": 1})",
       "single_shard ", ""},
      {"activating a client",
       R"({"findAndModify": "clients", "query": {"project_id": )" + p + R"(, "_id": )" + d +
           R"(}, "update": {"$set": {"status": "activated"}}})",
       "single_shard ", ""},
      {"clients by key",
       R"({"find": "clients", "filter": {"project_id": )" + p + R"(, "key": "k"}})",
       "multi_shard partial_key", "_id"},
      {"FindActiveClients",
       R"({"find": "clients", "filter": {"_id": {"$gt": )" + d +
           R"(}, "status": "activated"}, "sort": {"_id": 1}, "limit": 100})",
       "scatter_gather missing_key", "project_id"},
      {"a revision by _id alone", R"({"find": "revisions", "filter": {"_id": )" + d + "}}",
       "scatter_gather missing_key", "doc_id", routing::reason::ambiguous_id},
      {"documents by key, without project_id",
       R"({"find": "documents", "filter": {"key": "k", "removed_at": {"$exists": false}}})",
       "scatter_gather missing_key", "project_id"},
      {"purging a document's changes",
       R"({"delete": "changes", "deletes": [{"q": {"project_id": )" + p + R"(, "doc_id": )" +
           d + R"(}, "limit": 0}]})",
       "single_shard ", ""},
      {"a document in several ids",
       R"({"find": "documents", "filter": {"project_id": )" + p + R"(, "_id": {"$in": [)" + d +
           "," + p + "]}}}",
       "single_shard ", ""},
      {"an index that can't be unique",
       R"({"createIndexes": "changes", "indexes": [{"key": {"server_seq": 1},
           "name": "x", "unique": true}]})",
       "scatter_gather by_nature", "", routing::reason::unique_index_without_key},
  };
  for (const named_query& each : queries) {
    std::string command = each.command;
    command.insert(command.size() - 1, R"(, "$db": "yorkie-meta")");
    const judged found{yorkie(), command};
    EXPECT_EQ(found.why(), each.why) << each.what;
    EXPECT_EQ(found.missing(), each.missing) << each.what;
    EXPECT_EQ(found.verdict().lint, each.lint) << each.what;
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
