#include "sim/programs/demo/applications.hpp"

#include "sim/values/hashing.hpp"

// The queries of Yorkie v0.6.38's API servers (server/backend/database/mongo/client.go), each
// under its name there, followed by two careless ones.

// The queries of Yorkie's dashboard: those of v0.6.38 (server/backend/database/mongo/client.go)
// and three careless ones, as written for a new page in a hurry.

// Yorkie v0.6.38's housekeeping (server/backend/database/mongo/client.go): scans over all
// projects, page by page, in the order of _id. They scatter on purpose.
namespace scattergate::sim::demo {
namespace {

date now() {
  return date{now_millis()};
}

document reference(const entity& of) {
  return {{"project_id", of.project}, {"_id", of.id}};
}

document part_of(const entity& of) {
  return {{"project_id", of.project}, {"doc_id", of.id}};
}

document key_of(const entity& of) {
  return {{"project_id", of.project},
          {"key", std::string_view{of.key}},
          {"removed_at", document{{"$exists", false}}}};
}

/// The path of a field in a client's record of a document: "documents.<id>.<name>".
std::string attachment(const entity& document, std::string_view name) {
  const std::string_view id{reinterpret_cast<const char*>(document.id.bytes.data()),
                            document.id.bytes.size()};
  return "documents." + hex(id) + "." + std::string{name};
}

void find_project_by_public_key(caller& by) {
  by.mongos.find("projects", {{"public_key", std::string_view{by.any_project().public_key}}},
                 limit_one());
}

void activate_client(caller& by) {
  by.mongos.insert("clients", {document{{"_id", by.choose.id()},
                                        {"project_id", by.any_project().id},
                                        {"key", "browser"},
                                        {"status", "activated"},
                                        {"documents", document{}},
                                        {"attached_docs", array{}},
                                        {"created_at", now()},
                                        {"updated_at", now()}}});
}

void find_client_by_reference(caller& by) {
  by.mongos.find("clients", reference(by.any_client()), limit_one());
}

void try_attaching(caller& by) {
  const entity& to = by.any_document();
  document filter = reference(by.any_client());
  filter.append("status", "activated");
  filter.append(attachment(to, "status"), document{{"$ne", "attached"}});
  by.mongos.find_and_modify("clients", filter,
                            {{"$set", document{{attachment(to, "status"), "attaching"},
                                               {attachment(to, "server_seq"), std::int64_t{0}},
                                               {"updated_at", now()}}}});
}

void deactivate_client(caller& by) {
  document filter = reference(by.any_client());
  filter.append("status", "activated");
  by.mongos.find_and_modify(
      "clients", filter,
      {{"$set", document{{"status", "deactivated"}, {"updated_at", now()}}}});
}

void find_or_create_document(caller& by) {
  by.mongos.find_and_modify(
      "documents", key_of(by.any_document()),
      {{"$set", document{{"accessed_at", now()}}},
       {"$setOnInsert", document{{"server_seq", std::int64_t{0}}, {"created_at", now()}}}},
      true);
}

void find_document_by_key(caller& by) {
  by.mongos.find("documents", key_of(by.any_document()), limit_one());
}

void find_document_by_reference(caller& by) {
  by.mongos.find("documents", reference(by.any_document()), limit_one());
}

void create_changes(caller& by, edited_document& in) {
  by.mongos.find("documents", reference(in.document), limit_one());
  const std::int64_t before = in.server_seq;
  array changes;
  for (std::size_t left = 1 + by.choose.below(3); left > 0; --left) {
    document filter = part_of(in.document);
    filter.append("server_seq", ++in.server_seq);
    const document change{{"actor_id", by.any_client().id},
                          {"lamport", in.server_seq},
                          {"operations", array{binary{0, "insert: a"}}}};
    changes.emplace_back(document{
        {"q", std::move(filter)}, {"u", document{{"$set", change}}}, {"upsert", true}});
  }
  by.mongos.update("changes", std::move(changes));
  document filter = reference(in.document);
  filter.append("server_seq", before);
  by.mongos.update("documents",
                   {document{{"q", filter},
                             {"u", document{{"$set", document{{"server_seq", in.server_seq},
                                                              {"updated_at", now()}}}}}}});
}

void find_changes_between(caller& by, const edited_document& in) {
  constexpr std::int64_t behind = 20;
  document filter = part_of(in.document);
  filter.append("server_seq",
                document{{"$gte", in.server_seq - behind}, {"$lte", in.server_seq}});
  by.mongos.find(
      "changes", filter,
      {{"sort", document{{"server_seq", std::int32_t{1}}}}, {"limit", std::int64_t{1000}}});
}

void update_client_after_push_pull(caller& by, const entity& client,
                                   const edited_document& in) {
  by.mongos.find_and_modify(
      "clients", reference(client),
      {{"$max", document{{attachment(in.document, "server_seq"), in.server_seq}}},
       {"$set",
        document{{attachment(in.document, "status"), "attached"}, {"updated_at", now()}}},
       {"$addToSet", document{{"attached_docs", in.document.id}}}});
}

void update_min_version_vector(caller& by, const entity& client, const edited_document& in) {
  document filter = part_of(in.document);
  filter.append("client_id", client.id);
  const document vector{{"version_vector", document{{"lamport", in.server_seq}}}};
  by.mongos.update(
      "versionvectors",
      {document{{"q", filter}, {"u", document{{"$set", vector}}}, {"upsert", true}}});
  by.mongos.find("versionvectors", part_of(in.document));
}

/// An editor's work every few key strokes: sends its changes, fetches those of others.
void push_pull(caller& by) {
  edited_document& in = by.any_edited();
  const entity& client = by.any_client();
  create_changes(by, in);
  find_changes_between(by, in);
  update_client_after_push_pull(by, client, in);
  update_min_version_vector(by, client, in);
}

void pull(caller& by) {
  find_changes_between(by, by.any_edited());
}

void find_closest_snapshot(caller& by) {
  const edited_document& in = by.any_edited();
  document filter = part_of(in.document);
  filter.append("server_seq", document{{"$lte", in.server_seq}});
  by.mongos.find(
      "snapshots", filter,
      {{"sort", document{{"server_seq", std::int32_t{-1}}}}, {"limit", std::int64_t{1}}});
}

void create_snapshot(caller& by) {
  const edited_document& in = by.any_edited();
  by.mongos.insert("snapshots", {document{{"project_id", in.document.project},
                                          {"doc_id", in.document.id},
                                          {"server_seq", in.server_seq},
                                          {"snapshot", binary{0, "{\"title\": \"Minutes\"}"}},
                                          {"created_at", now()}}});
}

void is_document_attached(caller& by) {
  const entity& of = by.any_document();
  by.mongos.find("clients", {{"project_id", of.project}, {"attached_docs", of.id}},
                 limit_one());
}

void find_schema(caller& by) {
  by.mongos.find(
      "schemas",
      {{"project_id", by.any_project().id}, {"name", "note"}, {"version", std::int32_t{1}}},
      limit_one());
}

/// Careless: revisions are sharded by doc_id, which the caller knew.
void find_revision_by_id(caller& by) {
  document options = limit_one();
  options.append("comment", "revisions.go: FindRevisionInfoByID");
  by.mongos.find("revisions", {{"_id", by.any_revision().id}}, options);
}

/// Careless: without project_id mongos must ask every shard.
void touch_client(caller& by) {
  by.mongos.update("clients",
                   {document{{"q", document{{"_id", by.any_client().id}}},
                             {"u", document{{"$set", document{{"updated_at", now()}}}}}}},
                   {{"comment", "sessions.go: TouchClient"}});
}

document not_removed() {
  return {{"$exists", false}};
}

document sorted_page(std::int64_t size, std::string_view comment = {}) {
  document options{{"sort", document{{"_id", std::int32_t{1}}}}, {"limit", size}};
  if (!comment.empty()) options.append("comment", comment);
  return options;
}

void list_documents(caller& by) {
  constexpr std::int64_t page = 20;
  document filter{{"project_id", document{{"$eq", by.any_project().id}}},
                  {"removed_at", not_removed()}};
  const auto first = by.mongos.find("documents", filter, sorted_page(page));
  if (first.size() < static_cast<std::size_t>(page)) return;
  filter.append("_id", document{{"$gt", *first.back().find("_id")}});
  by.mongos.find("documents", filter, sorted_page(page));
}

/// As drivers count.
void count(caller& by, const char* collection, const document& filter) {
  const document counted{{"_id", std::int32_t{1}}, {"n", document{{"$sum", std::int32_t{1}}}}};
  by.mongos.aggregate(collection,
                      {document{{"$match", filter}}, document{{"$group", counted}}});
}

void count_documents(caller& by) {
  count(by, "documents", {{"project_id", by.any_project().id}, {"removed_at", not_removed()}});
}

void count_activated_clients(caller& by) {
  count(by, "clients", {{"project_id", by.any_project().id}, {"status", "activated"}});
}

void list_schemas(caller& by) {
  by.mongos.find("schemas", {{"project_id", by.any_project().id}});
}

void list_revisions(caller& by) {
  const revision& of = by.any_revision();
  by.mongos.find("revisions", {{"project_id", of.project}, {"doc_id", of.document}},
                 sorted_page(10));
}

void find_documents_by_ids(caller& by) {
  const entity& of = by.any_document();
  by.mongos.find("documents", {{"project_id", of.project},
                               {"_id", document{{"$in", array{of.id, by.any_document().id}}}}});
}

/// Careless: the page knows its project, the query omits it.
void search_document(caller& by) {
  by.mongos.find(
      "documents",
      {{"key", std::string_view{by.any_document().key}}, {"removed_at", not_removed()}},
      sorted_page(1, "search.go: FindDocumentByKey"));
}

/// Careless: has a project_id, but changes are sharded by doc_id.
void list_changes_of_client(caller& by) {
  const entity& client = by.any_client();
  by.mongos.find("changes", {{"project_id", client.project}, {"actor_id", client.id}},
                 sorted_page(20, "activity.go: ListChangesByActor"));
}

/// Careless: counts every document of every project, for one number on a page.
void count_documents_of_all_projects(caller& by) {
  by.mongos.aggregate(
      "documents",
      {document{{"$group", document{{"_id", "$project_id"},
                                    {"documents", document{{"$sum", std::int32_t{1}}}}}}},
       document{{"$sort", document{{"documents", std::int32_t{-1}}}}},
       document{{"$limit", std::int32_t{10}}}},
      {{"comment", "stats.go: LargestProjects"}});
}

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

application api_servers() {
  return {"yorkie",
          4,
          92,
          {{300, push_pull},
           {160, pull},
           {90, find_client_by_reference},
           {80, find_document_by_reference},
           {80, find_closest_snapshot},
           {60, find_document_by_key},
           {50, find_project_by_public_key},
           {40, try_attaching},
           {40, find_or_create_document},
           {25, activate_client},
           {20, deactivate_client},
           {20, is_document_attached},
           {15, find_schema},
           {10, create_snapshot},
           {10, find_revision_by_id},
           {4, touch_client}}};
}

application dashboard() {
  return {"yorkie-admin",
          1,
          7,
          {{300, list_documents},
           {120, count_documents},
           {120, count_activated_clients},
           {100, find_documents_by_ids},
           {60, list_schemas},
           {60, list_revisions},
           {40, search_document},
           {20, list_changes_of_client},
           {5, count_documents_of_all_projects}}};
}

application housekeeping() {
  return {"yorkie-housekeeping",
          1,
          1,
          {{60, find_active_clients}, {30, find_compaction_candidates}, {10, purge_document}}};
}

}  // namespace scattergate::sim::demo
