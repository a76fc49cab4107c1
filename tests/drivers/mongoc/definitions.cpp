#include <algorithm>

#include "tests/drivers/mongoc/shared.hpp"
#include "tests/drivers/mongoc/steps.hpp"

namespace script {
namespace {

void drop_database(mongoc_client_t* at, const char* name) {
  const database other{mongoc_client_get_database(at, name)};
  print_outcome(mongoc_database_drop(other.get(), &problem), nullptr);
}

void print_names(char** names) {
  print_outcome(names != nullptr, nullptr);
  if (names == nullptr) return;
  std::vector<std::string> sorted;
  for (char** each = names; *each != nullptr; ++each) sorted.emplace_back(*each);
  bson_strfreev(names);
  std::sort(sorted.begin(), sorted.end());
  for (const std::string& each : sorted) print_text(each);
}

}  // namespace

void indexes(mongoc_client_t* at) {
  run(at, R"({"createIndexes": "indexes", "indexes": [{"key": {"a": 1, "b": -1},
      "name": "a_1_b_-1"}, {"key": {"c": 1}, "name": "only", "unique": true}]})",
      "ok");
  print_all(cursor{mongoc_collection_find_indexes_with_opts(here(at).get(), nullptr)});
}

void other_database(mongoc_client_t* at) {
  const collection c{mongoc_client_get_collection(at, "drivers_other", "c")};
  insert_one(c, R"({"_id": 1})");
  print_all(find(c));
  drop_database(at, "drivers_other");
}

void sharded(mongoc_client_t* at) {
  const collection c{mongoc_client_get_collection(at, "yorkie-meta", "documents")};
  std::vector<document> documents;
  for (int i = 0; i < 20; ++i) {
    const std::string id = std::to_string(i);
    documents.emplace_back("{\"_id\": " + id + ", \"project_id\": " + std::to_string(i % 3) +
                           ", \"key\": \"k" + id + "\"}");
  }
  insert(c, documents);
  print_all(find(c, R"({"project_id": 1})"));
  print_all(find(c, R"({"key": "k5"})"));
  update(c, mongoc_collection_update_many, R"({"key": "k6"})", R"({"$set": {"a": 1}})");
  remove(c, mongoc_collection_delete_one, R"({"project_id": 2, "_id": 5})");
}

void unknown_command(mongoc_client_t* at) {
  run(at, R"({"noSuchCommand": 1})", "ok");
}

void unknown_operator(mongoc_client_t* at) {
  print_all(find(here(at), R"({"a": {"$nope": 1}})"));
}

void list_collections(mongoc_client_t* at) {
  const database db{mongoc_client_get_database(at, "drivers")};
  print_names(mongoc_database_get_collection_names_with_opts(db.get(), nullptr, &problem));
}

void list_databases(mongoc_client_t* at) {
  print_names(mongoc_client_get_database_names_with_opts(at, nullptr, &problem));
}

void drop(mongoc_client_t* at) {
  print_outcome(mongoc_collection_drop(here(at, "find").get(), &problem), nullptr);
  list_collections(at);
  drop_database(at, "drivers");
  list_collections(at);
}

}  // namespace script
