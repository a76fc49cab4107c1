#include "tests/drivers/mongoc/shared.hpp"
#include "tests/drivers/mongoc/steps.hpp"

namespace script {
namespace {

void bulk(mongoc_client_t* at, const char* options) {
  const collection c = here(at);
  insert_one(c, R"({"_id": 1})");
  const bulk_operation work{
      mongoc_collection_create_bulk_operation_with_opts(c.get(), document{options})};
  for (const char* each : {R"({"_id": 2})", R"({"_id": 1})"}) {
    mongoc_bulk_operation_insert_with_opts(work.get(), document{each}, nullptr, nullptr);
  }
  mongoc_bulk_operation_update_one_with_opts(work.get(), document{R"({"_id": 2})"},
                                             document{R"({"$set": {"a": 1}})"}, nullptr,
                                             nullptr);
  mongoc_bulk_operation_update_many_with_opts(
      work.get(), document{"{}"}, document{R"({"$set": {"b": 1}})"}, nullptr, nullptr);
  mongoc_bulk_operation_replace_one_with_opts(work.get(), document{R"({"_id": 3})"},
                                              document{R"({"c": 1})"},
                                              document{R"({"upsert": true})"}, nullptr);
  mongoc_bulk_operation_remove_one_with_opts(work.get(), document{R"({"_id": 1})"}, nullptr,
                                             nullptr);
  bson_t reply;
  const bool ok = mongoc_bulk_operation_execute(work.get(), &reply, &problem) != 0;
  print(&reply);
  print_outcome(ok, &reply);
  print_all(find(c));
}

}  // namespace

void insert_one(mongoc_client_t* at) {
  insert_one(here(at), R"({"_id": 1, "a": "b"})");
}

void insert_many(mongoc_client_t* at) {
  print_all(find(numbers(at, 10)));
}

void update_one(mongoc_client_t* at) {
  update(numbers(at), mongoc_collection_update_one, R"({"_id": 3})",
         R"({"$set": {"text": "new"}})");
}

void update_many(mongoc_client_t* at) {
  update(numbers(at), mongoc_collection_update_many, R"({"half": {"$lt": 5}})",
         R"({"$inc": {"half": 100}})");
}

void replace_one(mongoc_client_t* at) {
  update(numbers(at), mongoc_collection_replace_one, R"({"_id": 4})", R"({"other": 1})");
}

void upsert(mongoc_client_t* at) {
  update(here(at), mongoc_collection_update_one, R"({"_id": 5})", R"({"$set": {"a": 1}})",
         R"({"upsert": true})");
}

void find_one_and_update(mongoc_client_t* at) {
  mongoc_find_and_modify_opts_t* options = mongoc_find_and_modify_opts_new();
  mongoc_find_and_modify_opts_set_update(options, document{R"({"$set": {"text": "new"}})"});
  mongoc_find_and_modify_opts_set_flags(options, MONGOC_FIND_AND_MODIFY_RETURN_NEW);
  bson_t reply;
  const bool ok = mongoc_collection_find_and_modify_with_opts(
      numbers(at).get(), document{R"({"_id": 6})"}, options, &reply, &problem);
  mongoc_find_and_modify_opts_destroy(options);
  bson_t stable;  // without the times that a server adds
  bson_init(&stable);
  bson_copy_to_excluding_noinit(&reply, &stable, "operationTime", "$clusterTime", nullptr);
  print_outcome(ok, &stable);
  bson_destroy(&reply);
}

void delete_one(mongoc_client_t* at) {
  remove(numbers(at), mongoc_collection_delete_one, R"({"_id": 7})");
}

void delete_many(mongoc_client_t* at) {
  remove(numbers(at), mongoc_collection_delete_many, R"({"half": {"$gte": 25}})");
}

void bulk_ordered(mongoc_client_t* at) {
  bulk(at, R"({"ordered": true})");
}

void bulk_unordered(mongoc_client_t* at) {
  bulk(at, R"({"ordered": false})");
}

void duplicate_key(mongoc_client_t* at) {
  insert_one(here(at), R"({"_id": 1})");
  insert_one(here(at), R"({"_id": 1})");
}

void unacknowledged(mongoc_client_t* at) {
  for (const char* each : {R"({"_id": 1})", R"({"_id": 2})", R"({"_id": 3})"}) {
    insert_one(here(at), each, R"({"writeConcern": {"w": 0}})");
  }
  print_all(find(here(at)));
}

}  // namespace script
