#include "tests/drivers/mongoc/shared.hpp"
#include "tests/drivers/mongoc/steps.hpp"

namespace script {

void find_some(mongoc_client_t* at) {
  print_all(find(numbers(at), R"({"half": {"$gte": 10}})",
                 R"({"sort": {"_id": -1}, "skip": 2, "limit": 5, "projection": {"text": 1}})"));
}

void get_more(mongoc_client_t* at) {
  print_digest(find(numbers(at), "{}", R"({"sort": {"_id": 1}, "batchSize": 7})"));
}

void killed_cursor(mongoc_client_t* at) {
  print_all(find(numbers(at), "{}", R"({"sort": {"_id": 1}, "batchSize": 5})"), 7);
}

void aggregate(mongoc_client_t* at) {
  const document pipeline{R"({"pipeline": [{"$match": {"_id": {"$lt": 40}}},
      {"$group": {"_id": "$half", "sum": {"$sum": "$_id"}}}, {"$sort": {"_id": 1}}]})"};
  const collection c = numbers(at);
  print_all(cursor{mongoc_collection_aggregate(c.get(), MONGOC_QUERY_NONE, pipeline,
                                               document{R"({"batchSize": 3})"}, nullptr)});
}

void distinct(mongoc_client_t* at) {
  numbers(at, 12);
  run(at, R"({"distinct": "distinct", "key": "half", "query": {"_id": {"$gte": 4}}})",
      "values");
}

void count_documents(mongoc_client_t* at) {
  print_count(mongoc_collection_count_documents(numbers(at).get(),
                                                document{R"({"half": {"$lt": 10}})"}, nullptr,
                                                nullptr, nullptr, &problem));
}

void estimated_document_count(mongoc_client_t* at) {
  print_count(mongoc_collection_estimated_document_count(numbers(at).get(), nullptr, nullptr,
                                                         nullptr, &problem));
}

}  // namespace script
