// A program of varied operations by libmongoc, for test_libmongoc.py: mongoc_client URI
//
// Prints one line per operation, its result as canonical Extended JSON (or its error), and at
// the end one line per (command, count) of what the driver sent.

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include <mongoc/mongoc.h>

namespace {

template <auto Destroy>
struct destroyer {
  template <typename T>
  void operator()(T* object) const {
    Destroy(object);
  }
};
// bson_t is over-aligned, which a template argument would lose.
class document {
 public:
  explicit document(bson_t* made) noexcept : made_(made) {}
  ~document() { bson_destroy(made_); }
  document(const document&) = delete;
  document& operator=(const document&) = delete;
  [[nodiscard]] bson_t* get() const noexcept { return made_; }

 private:
  bson_t* made_;
};
using collection = std::unique_ptr<mongoc_collection_t, destroyer<mongoc_collection_destroy>>;
using cursor = std::unique_ptr<mongoc_cursor_t, destroyer<mongoc_cursor_destroy>>;
using bulk = std::unique_ptr<mongoc_bulk_operation_t, destroyer<mongoc_bulk_operation_destroy>>;
using session =
    std::unique_ptr<mongoc_client_session_t, destroyer<mongoc_client_session_destroy>>;
using client = std::unique_ptr<mongoc_client_t, destroyer<mongoc_client_destroy>>;

using tally = std::map<std::string, int>;

document from_json(const char* json) {
  return document{bson_new_from_json(reinterpret_cast<const std::uint8_t*>(json), -1, nullptr)};
}

void print(const char* what, const bson_t* value) {
  char* json = bson_as_canonical_extended_json(value, nullptr);
  std::printf("%s %s\n", what, json);
  bson_free(json);
}

void print_outcome(const char* what, bool ok, const bson_t* reply, const bson_error_t& error) {
  if (ok && reply != nullptr) return print(what, reply);
  std::printf("%s %s %u %s\n", what, ok ? "ok" : "failed", ok ? 0 : error.code,
              ok ? "" : error.message);
}

void print_all(const char* what, const cursor& from) {
  const bson_t* found = nullptr;
  while (mongoc_cursor_next(from.get(), &found)) print(what, found);
  bson_error_t error{};
  const bool failed = mongoc_cursor_error(from.get(), &error);
  print_outcome(what, !failed, nullptr, error);
}

void insert_many(mongoc_collection_t* into, const char* key_json, int count) {
  bulk work{mongoc_collection_create_bulk_operation_with_opts(into, nullptr)};
  for (int i = 0; i < count; ++i) {
    const document each = from_json(key_json);
    BSON_APPEND_INT32(each.get(), "_id", i);
    mongoc_bulk_operation_insert_with_opts(work.get(), each.get(), nullptr, nullptr);
  }
  bson_t reply;
  bson_error_t error{};
  print_outcome("insert", mongoc_bulk_operation_execute(work.get(), &reply, &error) != 0,
                &reply, error);
  bson_destroy(&reply);
}

void reads(mongoc_collection_t* from) {
  const char* filters[] = {R"({"project_id": 7})", R"({"key": "careless"})", "{}"};
  for (const char* filter : filters) {
    print_all("find",
              cursor{mongoc_collection_find_with_opts(
                  from, from_json(filter).get(),
                  from_json(R"({"sort": {"_id": 1}, "batchSize": 7})").get(), nullptr)});
  }
  print_all(
      "aggregate",
      cursor{mongoc_collection_aggregate(
          from, MONGOC_QUERY_NONE,
          from_json(R"({"pipeline": [{"$match": {"project_id": 7}}, {"$count": "n"}]})").get(),
          nullptr, nullptr)});
  print_all("refused", cursor{mongoc_collection_find_with_opts(
                           from, from_json(R"({"$nonsense": 1})").get(), nullptr, nullptr)});
  bson_error_t error{};
  std::printf("count %lld\n", static_cast<long long>(mongoc_collection_count_documents(
                                  from, from_json(R"({"project_id": 7})").get(), nullptr,
                                  nullptr, nullptr, &error)));
}

void writes(mongoc_collection_t* to) {
  bson_t reply;
  bson_error_t error{};
  bool ok = mongoc_collection_update_many(to, from_json(R"({"project_id": 7})").get(),
                                          from_json(R"({"$inc": {"n": 1}})").get(), nullptr,
                                          &reply, &error);
  print_outcome("update", ok, &reply, error);
  bson_destroy(&reply);
  ok = mongoc_collection_insert_one(to, from_json(R"({"_id": 3, "project_id": 7})").get(),
                                    nullptr, &reply, &error);
  print_outcome("duplicate", ok, nullptr, error);
  bson_destroy(&reply);
  const document quiet = from_json(R"({"writeConcern": {"w": 0}})");
  ok = mongoc_collection_delete_one(to, from_json(R"({"_id": 5, "project_id": 7})").get(),
                                    quiet.get(), nullptr, &error);
  print_outcome("unacknowledged", ok, nullptr, error);
  ok = mongoc_collection_delete_many(to, from_json(R"({"_id": {"$gt": 30}})").get(), nullptr,
                                     &reply, &error);
  print_outcome("delete", ok, &reply, error);
  bson_destroy(&reply);
}

void transaction(mongoc_client_t* in, mongoc_collection_t* on) {
  bson_error_t error{};
  const session one{mongoc_client_start_session(in, nullptr, &error)};
  for (const bool commits : {true, false}) {
    mongoc_client_session_start_transaction(one.get(), nullptr, &error);
    const document options{bson_new()};
    mongoc_client_session_append(one.get(), options.get(), &error);
    const char* change = commits ? R"({"$set": {"t": 1}})" : R"({"$set": {"t": 2}})";
    bool ok =
        mongoc_collection_update_one(on, from_json(R"({"_id": 1, "project_id": 7})").get(),
                                     from_json(change).get(), options.get(), nullptr, &error);
    print_outcome("in transaction", ok, nullptr, error);
    ok = commits ? mongoc_client_session_commit_transaction(one.get(), nullptr, &error)
                 : mongoc_client_session_abort_transaction(one.get(), &error);
    print_outcome("end", ok, nullptr, error);
  }
  print_all("after",
            cursor{mongoc_collection_find_with_opts(
                on, from_json(R"({"_id": 1, "project_id": 7})").get(), nullptr, nullptr)});
}

void on_started(const mongoc_apm_command_started_t* event) {
  auto* sent = static_cast<tally*>(mongoc_apm_command_started_get_context(event));
  ++(*sent)[mongoc_apm_command_started_get_command_name(event)];
}

int run(const char* uri) {
  tally sent;
  client mongos{mongoc_client_new(uri)};
  if (!mongos) return 2;
  mongoc_client_set_error_api(mongos.get(), MONGOC_ERROR_API_VERSION_2);
  mongoc_apm_callbacks_t* callbacks = mongoc_apm_callbacks_new();
  mongoc_apm_set_command_started_cb(callbacks, on_started);
  mongoc_client_set_apm_callbacks(mongos.get(), callbacks, &sent);
  mongoc_apm_callbacks_destroy(callbacks);

  const collection documents{
      mongoc_client_get_collection(mongos.get(), "yorkie-meta", "schemas")};
  insert_many(documents.get(), R"({"project_id": 7})", 40);
  reads(documents.get());
  writes(documents.get());
  transaction(mongos.get(), documents.get());
  mongos.reset();
  for (const auto& [name, count] : sent) std::printf("sent %s %d\n", name.c_str(), count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  mongoc_init();
  const int status = run(argv[1]);
  mongoc_cleanup();
  return status;
}
