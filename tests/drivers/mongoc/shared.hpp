#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mongoc/mongoc.h>

/// The state that the script's steps share.
namespace script {

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

/// The step that runs: its name is printed before each line, and is its collection's.
extern const char* step_name;
extern bson_error_t problem;  ///< of the call that failed last

void print_text(const std::string& text);
void print(const bson_t* value);

/// The reply of what succeeded, or the error of what didn't.
void print_outcome(bool ok, bson_t* reply);
void print_count(std::int64_t count);
void print_all(const cursor& from, int limit = -1);

/// The number of documents, and the FNV-1a hash of their bytes.
void print_digest(const cursor& from);

/// A collection that is named as the step, or otherwise.
collection here(mongoc_client_t* at, const char* name = step_name);

cursor find(const collection& in, const char* filter = "{}",
            const char* options = R"({"sort": {"_id": 1}})");

void insert(const collection& into, const std::vector<document>& documents);
void insert_one(const collection& into, const char* json, const char* options = "{}");

/// So many documents in the step's collection.
collection numbers(mongoc_client_t* at, int count = 100);

using updater = decltype(&mongoc_collection_update_one);
void update(const collection& c, updater how, const char* filter, const char* change,
            const char* options = "{}");

using deleter = decltype(&mongoc_collection_delete_one);
void remove(const collection& c, deleter how, const char* filter);

/// Runs a command, and prints a field of its reply.
void run(mongoc_client_t* at, const char* command, const char* field);

}  // namespace script
