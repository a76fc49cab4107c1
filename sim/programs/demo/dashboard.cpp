#include "sim/programs/demo/caller.hpp"

// The queries of Yorkie's dashboard: those of v0.6.38 (server/backend/database/mongo/client.go)
// and three careless ones, as written for a new page in a hurry.
namespace scattergate::sim::demo {
namespace {

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

void count_documents(caller& by) {
  by.mongos.count("documents",
                  {{"project_id", by.any_project().id}, {"removed_at", not_removed()}});
}

void count_activated_clients(caller& by) {
  by.mongos.count("clients", {{"project_id", by.any_project().id}, {"status", "activated"}});
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

}  // namespace

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

}  // namespace scattergate::sim::demo
