#include "tests/drivers/mongoc/shared.hpp"
#include "tests/drivers/mongoc/steps.hpp"

namespace script {
namespace {

/// `options` of an operation in a session.
document in_session(const session& which) {
  document options{bson_new()};
  mongoc_client_session_append(which.get(), options, &problem);
  return options;
}

void transaction(mongoc_client_t* at, bool commits) {
  const collection c = here(at);
  insert_one(c, R"({"_id": 0})");
  const session one{mongoc_client_start_session(at, nullptr, &problem)};
  if (!one || !mongoc_client_session_start_transaction(one.get(), nullptr, &problem)) {
    return print_outcome(false, nullptr);
  }
  print_outcome(mongoc_collection_insert_one(c.get(), document{R"({"_id": 1})"},
                                             in_session(one), nullptr, &problem),
                nullptr);
  print_outcome(mongoc_collection_update_one(c.get(), document{R"({"_id": 0})"},
                                             document{R"({"$set": {"a": 1}})"}, in_session(one),
                                             nullptr, &problem),
                nullptr);
  print_count(mongoc_collection_count_documents(c.get(), document{"{}"}, in_session(one),
                                                nullptr, nullptr, &problem));
  const bool ok = commits
                      ? mongoc_client_session_commit_transaction(one.get(), nullptr, &problem)
                      : mongoc_client_session_abort_transaction(one.get(), &problem);
  print_outcome(ok, nullptr);
  print_all(find(c));
}

}  // namespace

void causal_session(mongoc_client_t* at) {
  mongoc_session_opt_t* options = mongoc_session_opts_new();
  mongoc_session_opts_set_causal_consistency(options, true);
  const session one{mongoc_client_start_session(at, options, &problem)};
  mongoc_session_opts_destroy(options);
  if (!one) return print_outcome(false, nullptr);
  const collection c = here(at);
  print_outcome(mongoc_collection_insert_one(c.get(), document{R"({"_id": 1})"},
                                             in_session(one), nullptr, &problem),
                nullptr);
  print_all(cursor{mongoc_collection_find_with_opts(c.get(), document{R"({"_id": 1})"},
                                                    in_session(one), nullptr)});
}

void committed(mongoc_client_t* at) {
  transaction(at, true);
}

void aborted(mongoc_client_t* at) {
  transaction(at, false);
}

}  // namespace script
