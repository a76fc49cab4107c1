#include "sim/programs/demo/caller.hpp"

// Yorkie v0.6.38's housekeeping (server/backend/database/mongo/client.go): scans over all
// projects, page by page, in the order of _id. They scatter on purpose.
namespace scattergate::sim::demo {
namespace {

/// Reads the page after `last` and sets `last` to its end, or back to the start.
void next_page(caller& by, const char* collection, object_id& last, document also,
               std::string_view comment) {
  constexpr std::int64_t page = 150;
  also.prepend("_id", document{{"$gt", last}});
  const auto found = by.mongos.find(
      collection, also,
      {{"sort", document{{"_id", std::int32_t{1}}}}, {"limit", page}, {"comment", comment}});
  last = found.empty() ? object_id{} : *found.back().find("_id")->as<object_id>();
}

void find_active_clients(caller& by) {
  next_page(by, "clients", by.last_client, {{"status", "activated"}},
            "housekeeping.go: FindActiveClients");
}

void find_compaction_candidates(caller& by) {
  next_page(by, "documents", by.last_document,
            {{"server_seq", document{{"$gte", std::int64_t{100}}}}},
            "housekeeping.go: FindCompactionCandidates");
}

void purge_document(caller& by) {
  const entity& of = by.any_document();
  const document parts{{"project_id", of.project}, {"doc_id", of.id}};
  for (const char* collection : {"changes", "snapshots", "versionvectors"}) {
    by.mongos.delete_many(collection, parts);
  }
}

}  // namespace

application housekeeping() {
  return {"yorkie-housekeeping",
          1,
          1,
          {{60, find_active_clients}, {30, find_compaction_candidates}, {10, purge_document}}};
}

}  // namespace scattergate::sim::demo
