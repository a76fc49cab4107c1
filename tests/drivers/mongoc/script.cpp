// The script of operations by libmongoc: script URI [steps to leave out...]
//
// Prints a line per step and result, as canonical Extended JSON, or its error, and at last how
// often each command was sent, by the driver's own account.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mongoc/mongoc.h>

namespace {

/// bson_t is over-aligned, which std::unique_ptr's deleter would lose.
class document {
 public:
  explicit document(bson_t* made) noexcept : made_(made) {}
  explicit document(const std::string& json)
      : made_(bson_new_from_json(reinterpret_cast<const std::uint8_t*>(json.data()),
                                 static_cast<ssize_t>(json.size()), nullptr)) {}
  document(document&& other) noexcept : made_(std::exchange(other.made_, nullptr)) {}
  document(const document&) = delete;
  document& operator=(const document&) = delete;
  ~document() { bson_destroy(made_); }
  operator bson_t*() const noexcept { return made_; }

 private:
  bson_t* made_;
};

template <auto Destroy>
struct destroyer {
  template <typename T>
  void operator()(T* object) const {
    Destroy(object);
  }
};
using client = std::unique_ptr<mongoc_client_t, destroyer<mongoc_client_destroy>>;
using database = std::unique_ptr<mongoc_database_t, destroyer<mongoc_database_destroy>>;
using collection = std::unique_ptr<mongoc_collection_t, destroyer<mongoc_collection_destroy>>;
using cursor = std::unique_ptr<mongoc_cursor_t, destroyer<mongoc_cursor_destroy>>;
using session =
    std::unique_ptr<mongoc_client_session_t, destroyer<mongoc_client_session_destroy>>;
using bulk_operation =
    std::unique_ptr<mongoc_bulk_operation_t, destroyer<mongoc_bulk_operation_destroy>>;

const char* step_name = "";
bson_error_t problem;

void print_text(const std::string& text) {
  std::printf("%s: %s\n", step_name, text.c_str());
}

void print(const bson_t* value) {
  char* json = bson_as_canonical_extended_json(value, nullptr);
  print_text(json);
  bson_free(json);
}

/// The reply of what succeeded, or the error of what didn't.
void print_outcome(bool ok, bson_t* reply) {
  if (ok && reply != nullptr) print(reply);
  if (!ok) print_text("error " + std::to_string(problem.code) + " " + problem.message);
  if (reply != nullptr) bson_destroy(reply);
}

void print_all(const cursor& from, int limit = -1) {
  const bson_t* found = nullptr;
  while (limit-- != 0 && mongoc_cursor_next(from.get(), &found)) print(found);
  print_outcome(!mongoc_cursor_error(from.get(), &problem), nullptr);
}

/// How many documents, and the FNV-1a hash of their bytes.
void print_digest(const cursor& from) {
  std::uint64_t hash = 14695981039346656037ULL;
  std::size_t count = 0;
  for (const bson_t* found = nullptr; mongoc_cursor_next(from.get(), &found); ++count) {
    const std::uint8_t* bytes = bson_get_data(found);
    for (std::uint32_t i = 0; i < found->len; ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  }
  print_outcome(!mongoc_cursor_error(from.get(), &problem), nullptr);
  print_text(std::to_string(count) + " documents " + std::to_string(hash));
}

/// A collection that is named as the step, or otherwise.
collection here(mongoc_client_t* at, const char* name = step_name) {
  return collection{mongoc_client_get_collection(at, "drivers", name)};
}

cursor find(const collection& in, const char* filter = "{}",
            const char* options = R"({"sort": {"_id": 1}})") {
  return cursor{
      mongoc_collection_find_with_opts(in.get(), document{filter}, document{options}, nullptr)};
}

void insert(const collection& into, const std::vector<document>& documents) {
  const auto all = std::make_unique<const bson_t*[]>(documents.size());
  std::copy(documents.begin(), documents.end(), all.get());
  if (!mongoc_collection_insert_many(into.get(), all.get(), documents.size(), nullptr, nullptr,
                                     &problem)) {
    print_outcome(false, nullptr);
  }
}

void insert_one(const collection& into, const char* json, const char* options = "{}") {
  bson_t reply;
  const bool ok = mongoc_collection_insert_one(into.get(), document{json}, document{options},
                                               &reply, &problem);
  print_outcome(ok, &reply);
}

collection numbers(mongoc_client_t* at, int count = 100) {
  std::vector<document> documents;
  for (int i = 0; i < count; ++i) {
    const std::string id = std::to_string(i);
    documents.emplace_back("{\"_id\": " + id + ", \"half\": " + std::to_string(i / 2) +
                           ", \"text\": \"n" + id + "\"}");
  }
  collection found = here(at);
  insert(found, documents);
  return found;
}

void insert_one(mongoc_client_t* at) {
  insert_one(here(at), R"({"_id": 1, "a": "b"})");
}

void insert_many(mongoc_client_t* at) {
  print_all(find(numbers(at, 10)));
}

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

using updater = decltype(&mongoc_collection_update_one);

void update(const collection& c, updater how, const char* filter, const char* change,
            const char* options = "{}") {
  bson_t reply;
  const bool ok =
      how(c.get(), document{filter}, document{change}, document{options}, &reply, &problem);
  print_outcome(ok, &reply);
  print_all(find(c, filter));
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

using deleter = decltype(&mongoc_collection_delete_one);

void remove(const collection& c, deleter how, const char* filter) {
  bson_t reply;
  const bool ok = how(c.get(), document{filter}, nullptr, &reply, &problem);
  print_outcome(ok, &reply);
}

void delete_one(mongoc_client_t* at) {
  remove(numbers(at), mongoc_collection_delete_one, R"({"_id": 7})");
}

void delete_many(mongoc_client_t* at) {
  remove(numbers(at), mongoc_collection_delete_many, R"({"half": {"$gte": 25}})");
}

void run(mongoc_client_t* at, const char* command, const char* wanted) {
  bson_t reply;
  const bool ok =
      mongoc_client_command_simple(at, "drivers", document{command}, nullptr, &reply, &problem);
  bson_iter_t field;
  if (ok && bson_iter_init_find(&field, &reply, wanted)) {
    const document only{bson_new()};
    bson_append_iter(only, wanted, -1, &field);
    print(only);
  }
  print_outcome(ok, nullptr);
  bson_destroy(&reply);
}

void distinct(mongoc_client_t* at) {
  numbers(at, 12);
  run(at, R"({"distinct": "distinct", "key": "half", "query": {"_id": {"$gte": 4}}})",
      "values");
}

void print_count(std::int64_t count) {
  print_outcome(count >= 0, nullptr);
  print_text(std::to_string(count));
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

void indexes(mongoc_client_t* at) {
  run(at, R"({"createIndexes": "indexes", "indexes": [{"key": {"a": 1, "b": -1},
      "name": "a_1_b_-1"}, {"key": {"c": 1}, "name": "only", "unique": true}]})",
      "ok");
  print_all(cursor{mongoc_collection_find_indexes_with_opts(here(at).get(), nullptr)});
}

void big_document(mongoc_client_t* at) {
  std::string text;
  while (text.size() < 5'000'000) text += "0123456789";
  const document big{R"({"_id": 1})"};
  BSON_APPEND_UTF8(big, "text", text.c_str());
  const collection c = here(at);
  print_outcome(mongoc_collection_insert_one(c.get(), big, nullptr, nullptr, &problem),
                nullptr);
  print_digest(find(c));
}

void many_documents(mongoc_client_t* at) {
  print_digest(find(numbers(at, 20'000)));
}

void unicode(mongoc_client_t* at) {
  const collection c = here(at, "unicode_\u00fc");
  insert_one(c, "{\"_id\": \"\u4e2d\u6587\", \"\u00e9\": \"\U0001f600 \\u0000 end\"}");
  print_all(find(c, "{\"_id\": \"\u4e2d\u6587\"}"));
}

void every_type(mongoc_client_t* at) {
  const collection c = here(at);
  insert_one(c, R"json({"_id": {"$oid": "0123456789abcdef01234567"}, "double": 1.5,
      "infinite": {"$numberDouble": "Infinity"}, "text": "text",
      "document": {"a": {"b": [1, {"c": null}]}}, "array": [1, "2", [3]],
      "binary": {"$binary": {"base64": "AP8=", "subType": "05"}},
      "uuid": {"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAABw==", "subType": "04"}},
      "yes": true, "date": {"$date": "2024-02-29T12:00:00Z"},
      "old": {"$date": {"$numberLong": "-2177452800000"}}, "null": null,
      "regex": {"$regularExpression": {"pattern": "^a.b", "options": "i"}},
      "code": {"$code": "f()"}, "scoped": {"$code": "f()", "$scope": {"x": 1}}, "int": 5,
      "timestamp": {"$timestamp": {"t": 9, "i": 1}}, "long": {"$numberLong": "1099511627776"},
      "decimal": {"$numberDecimal": "1.10"}, "min": {"$minKey": 1},
      "max": {"$maxKey": 1}})json");
  print_all(find(c));
}

void unacknowledged(mongoc_client_t* at) {
  for (const char* each : {R"({"_id": 1})", R"({"_id": 2})", R"({"_id": 3})"}) {
    insert_one(here(at), each, R"({"writeConcern": {"w": 0}})");
  }
  print_all(find(here(at)));
}

/// `options` of an operation in a session.
document in_session(const session& which) {
  document options{bson_new()};
  mongoc_client_session_append(which.get(), options, &problem);
  return options;
}

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

void committed(mongoc_client_t* at) {
  transaction(at, true);
}

void aborted(mongoc_client_t* at) {
  transaction(at, false);
}

void drop_database(mongoc_client_t* at, const char* name) {
  const database other{mongoc_client_get_database(at, name)};
  print_outcome(mongoc_database_drop(other.get(), &problem), nullptr);
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

void print_names(char** names) {
  print_outcome(names != nullptr, nullptr);
  if (names == nullptr) return;
  std::vector<std::string> sorted;
  for (char** each = names; *each != nullptr; ++each) sorted.emplace_back(*each);
  bson_strfreev(names);
  std::sort(sorted.begin(), sorted.end());
  for (const std::string& each : sorted) print_text(each);
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

struct step {
  const char* name;
  void (*run)(mongoc_client_t*);
};

constexpr step steps[] = {
    {"insert_one", insert_one},
    {"insert_many", insert_many},
    {"find", find_some},
    {"get_more", get_more},
    {"killed_cursor", killed_cursor},
    {"aggregate", aggregate},
    {"update_one", update_one},
    {"update_many", update_many},
    {"replace_one", replace_one},
    {"upsert", upsert},
    {"find_one_and_update", find_one_and_update},
    {"delete_one", delete_one},
    {"delete_many", delete_many},
    {"distinct", distinct},
    {"count_documents", count_documents},
    {"estimated_document_count", estimated_document_count},
    {"bulk_ordered", bulk_ordered},
    {"bulk_unordered", bulk_unordered},
    {"duplicate_key", duplicate_key},
    {"indexes", indexes},
    {"big_document", big_document},
    {"many_documents", many_documents},
    {"unicode", unicode},
    {"every_type", every_type},
    {"unacknowledged", unacknowledged},
    {"session", causal_session},
    {"committed", committed},
    {"aborted", aborted},
    {"other_database", other_database},
    {"sharded", sharded},
    {"unknown_command", unknown_command},
    {"unknown_operator", unknown_operator},
    {"list_collections", list_collections},
    {"list_databases", list_databases},
    {"drop", drop},
};

using tally = std::map<std::string, int>;

void on_started(const mongoc_apm_command_started_t* event) {
  auto* sent = static_cast<tally*>(mongoc_apm_command_started_get_context(event));
  ++(*sent)[mongoc_apm_command_started_get_command_name(event)];
}

int run_all(const char* uri, const std::vector<std::string_view>& left_out) {
  tally sent;
  client at{mongoc_client_new(uri)};
  if (!at) return 2;
  mongoc_client_set_error_api(at.get(), MONGOC_ERROR_API_VERSION_2);
  mongoc_apm_callbacks_t* callbacks = mongoc_apm_callbacks_new();
  mongoc_apm_set_command_started_cb(callbacks, on_started);
  mongoc_client_set_apm_callbacks(at.get(), callbacks, &sent);
  mongoc_apm_callbacks_destroy(callbacks);
  for (const auto& [name, run_step] : steps) {
    if (std::find(left_out.begin(), left_out.end(), name) != left_out.end()) continue;
    step_name = name;
    print_text("begins");
    run_step(at.get());
  }
  at.reset();
  for (const auto& [name, count] : sent) std::printf("sent %s %d\n", name.c_str(), count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  mongoc_init();
  const int status = run_all(argv[1], {argv + 2, argv + argc});
  mongoc_cleanup();
  return status;
}
