#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// The queries of Yorkie (server/backend/database/mongo/client.go), the reference workload,
/// against the shard keys of both its generations, with chunks and without.
namespace scattergate::routing_tests {
namespace {

enum class generation : std::uint8_t { v0_6, v0_4 };

/// `json` with @p, @d and @c as the ids of project 1, a document and a client.
std::string with_ids(std::string_view json) {
  std::string text;
  for (const char c : json) {
    const bool is_id = !text.empty() && text.back() == '@';
    if (!is_id) {
      text += c;
      continue;
    }
    text.pop_back();
    const std::string_view digit = c == 'p' ? "1" : c == 'd' ? "3" : "5";
    text += R"({"$oid": "64b0c0ffee0000000000000)" + std::string{digit} + R"("})";
  }
  return text;
}

/// Project 1 owns a chunk of each project-wide collection; the clients of v0.6.38 have two,
/// split at the hash 0 of _id. Hashed and ranged document ids are split once.
std::shared_ptr<const routing::catalog> yorkie(generation which, bool has_chunks) {
  constexpr std::string_view projects =
      R"([{"project_id": @p}, {"project_id": {"$oid": "64b0c0ffee00000000000002"}}])";
  constexpr std::string_view clients =
      R"([{"project_id": @p}, {"project_id": @p, "_id": {"$numberLong": "0"}},
          {"project_id": {"$oid": "64b0c0ffee00000000000002"}}])";
  constexpr std::string_view hashes = R"([{"doc_id": {"$numberLong": "0"}}])";
  constexpr std::string_view ids = R"([{"doc_id": {"$oid": "64b0c0ffee00000000000002"}}])";
  const bool is_new = which == generation::v0_6;
  std::string json = R"({"collections": [{"ns": "yorkie-meta.projects"})";
  const auto add = [&](std::string_view name, std::string_view key, std::string_view splits) {
    json +=
        R"(, {"ns": "yorkie-meta.)" + std::string{name} + R"(", "key": )" + std::string{key};
    if (has_chunks) json += R"(, "splits": )" + std::string{splits};
    json += "}";
  };
  const std::string_view by_doc = is_new ? R"({"doc_id": "hashed"})" : R"({"doc_id": 1})";
  const std::string_view doc_splits = is_new ? hashes : ids;
  add("documents", R"({"project_id": 1})", projects);
  add("clients", is_new ? R"({"project_id": 1, "_id": "hashed"})" : R"({"project_id": 1})",
      is_new ? clients : projects);
  for (const std::string_view name : {"changes", "snapshots"}) add(name, by_doc, doc_splits);
  if (is_new) {
    add("schemas", R"({"project_id": 1})", projects);
    for (const std::string_view name : {"versionvectors", "revisions"}) {
      add(name, by_doc, doc_splits);
    }
  } else {
    add("syncedseqs", by_doc, doc_splits);
  }
  return catalog_of(with_ids(json + "]}"));
}

struct query {
  std::string_view what;
  std::string_view command;
  std::string_view where;      ///< with chunks
  std::string_view unchunked;  ///< class and reason without
  std::string_view missing = "";
  routing::lint_kind lint = routing::lint_kind::none;
};

void expect_yorkie(generation which, std::span<const query> queries) {
  const auto chunked = yorkie(which, true);
  const auto unchunked = yorkie(which, false);
  for (const query& each : queries) {
    std::string command = with_ids(each.command);
    command.insert(command.size() - 1, R"(, "$db": "yorkie-meta")");
    const judged found{chunked, command};
    EXPECT_EQ(found.where(), each.where) << each.what;
    EXPECT_EQ(found.missing(), each.missing) << each.what;
    EXPECT_EQ(found.verdict().lint, each.lint) << each.what;
    EXPECT_EQ(judged(unchunked, command).why(), each.unchunked) << each.what;
  }
}

TEST(yorkie, documents_are_routed_by_project) {
  const query queries[] = {
      {"FindDocInfosByPaging",
       R"({"find": "documents", "filter": {"project_id": {"$eq": @p},
           "removed_at": {"$exists": false}, "_id": {"$gt": @d}}, "sort": {"_id": 1},
           "limit": 10})",
       "single_shard 1", "single_shard "},
      {"FindDocInfoByKey", R"({"find": "documents", "filter": {"project_id": @p, "key": "k",
           "removed_at": {"$exists": false}}, "limit": 1, "singleBatch": true})",
       "single_shard 1", "single_shard "},
      {"FindDocInfosByKeys", R"({"find": "documents", "filter": {"project_id": @p,
           "key": {"$in": ["a", "b"]}, "removed_at": {"$exists": false}}})",
       "single_shard 1", "single_shard "},
      {"FindDocInfosByIDs",
       R"({"find": "documents", "filter": {"project_id": @p, "_id": {"$in": [@d, @c]}}})",
       "single_shard 1", "single_shard "},
      {"FindDocInfoByRefKey",
       R"({"find": "documents", "filter": {"project_id": @p, "_id": @d}, "limit": 1})",
       "single_shard 1", "single_shard "},
      {"FindDocInfosByQuery", R"({"find": "documents", "filter": {"project_id": @p,
           "key": {"~regex": "^k"}, "removed_at": {"$exists": false}}, "sort": {"key": 1}})",
       "single_shard 1", "single_shard "},
      {"FindOrCreateDocInfo", R"({"findAndModify": "documents", "query": {"project_id": @p,
           "key": "k", "removed_at": {"$exists": false}}, "upsert": true, "new": true,
           "update": {"$set": {"accessed_at": 1}, "$setOnInsert": {"owner": @c}}})",
       "single_shard 1", "single_shard "},
      {"UpdateDocInfoStatusToRemoved",
       R"({"findAndModify": "documents", "query": {"project_id": @p, "_id": @d},
           "update": {"$set": {"removed_at": 1}}, "new": true})",
       "single_shard 1", "single_shard "},
      {"CreateChangeInfos, the document's part",
       R"({"update": "documents", "updates": [{"q": {"project_id": @p, "_id": @d,
           "server_seq": 5}, "u": {"$set": {"server_seq": 6}}}]})",
       "single_shard 1", "single_shard "},
      {"CountAliveDocuments", R"({"aggregate": "documents", "cursor": {}, "pipeline": [
           {"$match": {"project_id": @p, "removed_at": {"$exists": false}}},
           {"$group": {"_id": 1, "n": {"$sum": 1}}}]})",
       "single_shard 1", "single_shard "},
      {"IsSchemaAttached",
       R"({"find": "documents", "filter": {"project_id": @p, "schema": "s"}, "limit": 1})",
       "single_shard 1", "single_shard "},
      {"PurgeDocument",
       R"({"delete": "documents", "deletes": [{"q": {"project_id": @p, "_id": @d},
           "limit": 1}]})",
       "single_shard 1", "single_shard "},
      {"FindCompactionCandidates, v0.6.38",
       R"({"find": "documents", "filter": {"_id": {"$gt": @d}, "server_seq": {"$gte": 100}},
           "sort": {"_id": 1}, "limit": 100})",
       "scatter_gather 0,1,2", "scatter_gather missing_key", "project_id"},
      {"FindCompactionCandidates, v0.7",
       R"({"find": "documents", "filter": {"server_seq": {"$gte": 100}, "$or": [
           {"server_seq": {"$gt": 5}}, {"server_seq": 5, "_id": {"$gt": @d}}]}})",
       "scatter_gather 0,1,2", "scatter_gather missing_key", "project_id"},
      {"a key without its project", R"({"find": "documents", "filter": {"key": "k"}})",
       "scatter_gather 0,1,2", "scatter_gather missing_key", "project_id"},
  };
  expect_yorkie(generation::v0_6, queries);
  expect_yorkie(generation::v0_4, queries);
}

TEST(yorkie, clients_are_routed_by_project_and_id) {
  const query queries[] = {
      {"ActivateClient", R"({"insert": "clients", "documents": [{"_id": @c, "project_id": @p,
           "key": "k", "status": "activated"}]})",
       "single_shard 2", "single_shard "},
      {"TryAttaching", R"({"findAndModify": "clients", "query": {"project_id": @p, "_id": @c,
           "status": "activated", "documents.d.status": {"$ne": "attached"}},
           "update": {"$set": {"documents.d.status": "attaching"}}, "new": true})",
       "single_shard 2", "single_shard "},
      {"DeactivateClient", R"({"findAndModify": "clients", "query": {"project_id": @p,
           "_id": @c, "status": "activated", "$expr": {"$not": {"$anyElementTrue": {"$map": {
             "input": {"$ifNull": [{"$objectToArray": "$documents"}, []]}, "as": "doc",
             "in": {"$in": ["$$doc.v.status", ["attaching", "attached"]]}}}}}},
           "update": {"$set": {"status": "deactivated"}}, "new": true})",
       "single_shard 2", "single_shard "},
      {"FindClientInfoByRefKey",
       R"({"find": "clients", "filter": {"project_id": @p, "_id": @c}, "limit": 1})",
       "single_shard 2", "single_shard "},
      {"FindAttachedClientInfosByRefKey", R"({"find": "clients", "filter": {"project_id": @p,
           "status": "activated", "attached_docs": @d}})",
       "multi_shard 1,2", "multi_shard partial_key", "_id"},
      {"IsDocumentAttached, one client excluded",
       R"({"find": "clients", "limit": 1, "filter": {"project_id": @p, "_id": {"$ne": @c},
           "$or": [{"attached_docs": @d}, {"attaching_docs": @d}]}})",
       "multi_shard 1,2", "multi_shard partial_key"},
      {"FindAttachedClientCountsByDocIDs", R"({"aggregate": "clients", "cursor": {},
           "pipeline": [{"$match": {"project_id": @p, "attached_docs": {"$in": [@d]}}},
             {"$unwind": "$attached_docs"}, {"$match": {"attached_docs": {"$in": [@d]}}},
             {"$group": {"_id": "$attached_docs", "count": {"$sum": 1}}}]})",
       "multi_shard 1,2", "multi_shard partial_key", "_id"},
      {"CountActivatedClients", R"({"aggregate": "clients", "cursor": {}, "pipeline": [
           {"$match": {"project_id": @p, "status": "activated"}},
           {"$group": {"_id": 1, "n": {"$sum": 1}}}]})",
       "multi_shard 1,2", "multi_shard partial_key", "_id"},
      {"FindActiveClients", R"({"find": "clients", "filter": {"_id": {"$gt": @c},
           "status": "activated"}, "sort": {"_id": 1}, "limit": 500})",
       "scatter_gather 0,1,2,3", "scatter_gather missing_key", "project_id"},
      {"ActivateClient of v0.4.14 on the keys of v0.6.38",
       R"({"update": "clients", "updates": [{"q": {"project_id": @p, "key": "k"},
           "u": {"$set": {"status": "activated"}}, "upsert": true}]})",
       "multi_shard 1,2", "multi_shard write_without_key", "_id"},
  };
  expect_yorkie(generation::v0_6, queries);
}

TEST(yorkie, clients_of_v0_4_are_routed_by_project_alone) {
  const query queries[] = {
      {"ActivateClient", R"({"update": "clients", "updates": [{"q": {"project_id": @p,
           "key": "k"}, "u": {"$set": {"status": "activated"}}, "upsert": true}]})",
       "single_shard 1", "single_shard "},
      {"ActivateClient, the one that is there",
       R"({"find": "clients", "filter": {"project_id": @p, "key": "k"}, "limit": 1})",
       "single_shard 1", "single_shard "},
      {"FindClientInfoByRefKey", R"({"findAndModify": "clients", "query": {"project_id": @p,
           "_id": @c}, "update": {"$set": {"updated_at": 1}}})",
       "single_shard 1", "single_shard "},
      {"FindDeactivateCandidatesPerProject",
       R"({"find": "clients", "filter": {"project_id": @p, "status": "activated",
           "updated_at": {"$lte": 5}}, "limit": 500})",
       "single_shard 1", "single_shard "},
      {"FindActiveClients, of a newer Yorkie", R"({"find": "clients", "filter": {
           "_id": {"$gt": @c}, "status": "activated"}, "sort": {"_id": 1}})",
       "scatter_gather 0,1,2", "scatter_gather missing_key", "project_id"},
  };
  expect_yorkie(generation::v0_4, queries);
}

TEST(yorkie, what_belongs_to_a_document_is_routed_by_its_id) {
  const query queries[] = {
      {"FindChangesBetweenServerSeqs", R"({"find": "changes", "filter": {"project_id": @p,
           "doc_id": @d, "server_seq": {"$gte": 1, "$lte": 9}}, "sort": {"server_seq": 1}})",
       "single_shard 1", "single_shard "},
      {"FindLatestChangeInfoByActor", R"({"find": "changes", "filter": {"project_id": @p,
           "doc_id": @d, "actor_id": @c, "server_seq": {"$lte": 9}},
           "sort": {"server_seq": -1}, "limit": 1})",
       "single_shard 1", "single_shard "},
      {"CreateChangeInfos", R"({"update": "changes", "ordered": false, "updates": [
           {"q": {"project_id": @p, "doc_id": @d, "server_seq": 1},
            "u": {"$set": {"lamport": 1}}, "upsert": true},
           {"q": {"project_id": @p, "doc_id": @d, "server_seq": 2},
            "u": {"$set": {"lamport": 2}}, "upsert": true}]})",
       "single_shard 1", "single_shard "},
      {"CompactChangeInfos", R"({"insert": "changes", "documents": [{"_id": @c,
           "project_id": @p, "doc_id": @d, "server_seq": 1}]})",
       "single_shard 1", "single_shard "},
      {"FindClosestSnapshotInfo", R"({"find": "snapshots", "filter": {"project_id": @p,
           "doc_id": @d, "server_seq": {"$lte": 9}}, "sort": {"server_seq": -1}, "limit": 1,
           "projection": {"snapshot": 0}})",
       "single_shard 1", "single_shard "},
      {"purging a document's snapshots", R"({"delete": "snapshots", "deletes": [
           {"q": {"project_id": @p, "doc_id": @d}, "limit": 0}]})",
       "single_shard 1", "single_shard "},
      {"PurgeStaleChanges", R"({"delete": "changes", "deletes": [{"q": {"project_id": @p,
           "doc_id": @d, "server_seq": {"$lt": 5}}, "limit": 0}]})",
       "single_shard 1", "single_shard "},
      {"the projects", R"({"find": "projects", "filter": {"_id": {"$gt": @p}}, "limit": 5})",
       "unsharded", "unsharded "},
  };
  expect_yorkie(generation::v0_6, queries);
  expect_yorkie(generation::v0_4, queries);
}

TEST(yorkie, version_vectors_and_synced_seqs_belong_to_a_document) {
  constexpr std::string_view of_client = R"({"project_id": @p, "doc_id": @d, "client_id": @c})";
  for (const auto& [which, name] : {std::pair{generation::v0_6, "versionvectors"},
                                    std::pair{generation::v0_4, "syncedseqs"}}) {
    const std::string on = name;
    const std::string q{of_client};
    const std::string commands[] = {
        R"({"find": ")" + on + R"(", "filter": {"project_id": @p, "doc_id": @d}})",
        R"({"update": ")" + on + R"(", "updates": [{"q": )" + q +
            R"(, "u": {"$set": {"v": 1}}, "upsert": true}]})",
        R"({"delete": ")" + on + R"(", "deletes": [{"q": )" + q + R"(, "limit": 1}]})",
    };
    for (const std::string& command : commands) {
      const query one{on, command, "single_shard 1", "single_shard "};
      expect_yorkie(which, {&one, 1});
    }
  }
}

TEST(yorkie, revisions_by_their_id_alone_are_findings) {
  const query queries[] = {
      {"FindRevisionInfosByPaging", R"({"find": "revisions", "filter": {"project_id": @p,
           "doc_id": @d}, "sort": {"_id": -1}, "limit": 10, "skip": 5})",
       "single_shard 1", "single_shard "},
      {"FindRevisionInfoByID", R"({"find": "revisions", "filter": {"_id": @d}, "limit": 1})",
       "scatter_gather 0,1", "scatter_gather missing_key", "doc_id",
       routing::lint_kind::ambiguous_id},
      {"DeleteRevisionInfo",
       R"({"delete": "revisions", "deletes": [{"q": {"_id": @d}, "limit": 1}]})",
       "scatter_gather 0,1", "scatter_gather write_without_key", "doc_id",
       routing::lint_kind::ambiguous_id},
      {"ListSchemaInfos", R"({"aggregate": "schemas", "cursor": {}, "pipeline": [
           {"$match": {"project_id": @p}}, {"$sort": {"name": 1, "version": -1}},
           {"$group": {"_id": "$name", "latestSchema": {"$first": "$$ROOT"}}}]})",
       "single_shard 1", "single_shard "},
      {"RemoveSchemaInfo", R"({"delete": "schemas", "deletes": [{"q": {"project_id": @p,
           "name": "n", "version": 1}, "limit": 1}]})",
       "single_shard 1", "single_shard "},
  };
  expect_yorkie(generation::v0_6, queries);
}

TEST(yorkie, its_indexes_are_taken_to_every_shard) {
  const query queries[] = {
      {"an index that can't be unique", R"({"createIndexes": "changes", "indexes": [
           {"key": {"doc_id": 1, "server_seq": 1}, "name": "a"},
           {"key": {"server_seq": 1}, "name": "x", "unique": true}]})",
       "scatter_gather 0,1", "scatter_gather by_nature", "",
       routing::lint_kind::unique_index_without_key},
      {"one that can", R"({"createIndexes": "documents", "indexes": [{"key": {"project_id": 1,
           "key": 1, "removed_at": 1}, "name": "k", "unique": true}]})",
       "scatter_gather 0,1,2", "scatter_gather by_nature"},
  };
  expect_yorkie(generation::v0_6, queries);
}

}  // namespace
}  // namespace scattergate::routing_tests
