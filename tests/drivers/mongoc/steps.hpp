#pragma once

#include <mongoc/mongoc.h>

/// The steps of the test script (see shared.hpp), grouped by source file. Each step sends the
/// commands that its name describes, over the client `at`, and prints the results.
namespace script {

// reads.cpp
void find_some(mongoc_client_t* at);
void get_more(mongoc_client_t* at);
void killed_cursor(mongoc_client_t* at);
void aggregate(mongoc_client_t* at);
void distinct(mongoc_client_t* at);
void count_documents(mongoc_client_t* at);
void estimated_document_count(mongoc_client_t* at);

// writes.cpp
void insert_one(mongoc_client_t* at);
void insert_many(mongoc_client_t* at);
void update_one(mongoc_client_t* at);
void update_many(mongoc_client_t* at);
void replace_one(mongoc_client_t* at);
void upsert(mongoc_client_t* at);
void find_one_and_update(mongoc_client_t* at);
void delete_one(mongoc_client_t* at);
void delete_many(mongoc_client_t* at);
void bulk_ordered(mongoc_client_t* at);
void bulk_unordered(mongoc_client_t* at);
void duplicate_key(mongoc_client_t* at);
void unacknowledged(mongoc_client_t* at);

// values.cpp
void big_document(mongoc_client_t* at);
void many_documents(mongoc_client_t* at);
void unicode(mongoc_client_t* at);
void every_type(mongoc_client_t* at);

// sessions.cpp
void causal_session(mongoc_client_t* at);
void committed(mongoc_client_t* at);
void aborted(mongoc_client_t* at);

// definitions.cpp
void indexes(mongoc_client_t* at);
void other_database(mongoc_client_t* at);
void sharded(mongoc_client_t* at);
void unknown_command(mongoc_client_t* at);
void unknown_operator(mongoc_client_t* at);
void list_collections(mongoc_client_t* at);
void list_databases(mongoc_client_t* at);
void drop(mongoc_client_t* at);

}  // namespace script
