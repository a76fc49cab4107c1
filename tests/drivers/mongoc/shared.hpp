#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mongoc/mongoc.h>

/// Functions for a test script that uses the MongoDB C driver. The script runs named steps,
/// each on a collection of its own, and prints all results. The test compares a run through the
/// proxy with a run without it.
namespace script {

/// Owns a bson_t. std::unique_ptr isn't used, because its deleter would lose bson_t's
/// alignment.
class document {
 public:
  /// Takes ownership of `made`.
  explicit document(bson_t* made) noexcept : made_(made) {}
  /// Parses Extended JSON.
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

/// A deleter that calls the driver's function `Destroy`.
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

/// The name of the running step; also the name of the step's collection. Printed before each
/// line.
extern const char* step_name;
extern bson_error_t problem;  ///< the error of the last failed call of the driver

/// Prints a line: the step's name and `text`.
void print_text(const std::string& text);
/// Prints a document as canonical Extended JSON.
void print(const bson_t* value);

/// Prints the result of a call: `reply` if `ok` (nothing if it is null), otherwise `problem`.
/// Frees `reply`.
void print_outcome(bool ok, bson_t* reply);
/// Prints a count; if it is negative, also prints `problem`.
void print_count(std::int64_t count);
/// Prints the cursor's documents, at most `limit` (negative: all), and its error, if any.
void print_all(const cursor& from, int limit = -1);

/// Prints the number of the cursor's documents and the FNV-1a hash of their bytes.
void print_digest(const cursor& from);

/// Opens the collection `name` in the database `drivers`; by default the step's collection.
collection here(mongoc_client_t* at, const char* name = step_name);

/// Starts a find.
cursor find(const collection& in, const char* filter = "{}",
            const char* options = R"({"sort": {"_id": 1}})");

/// Inserts documents. Prints only an error.
void insert(const collection& into, const std::vector<document>& documents);
/// Inserts a document and prints the reply.
void insert_one(const collection& into, const char* json, const char* options = "{}");

/// Inserts `count` documents with increasing numbers into the step's collection, and returns
/// the collection.
collection numbers(mongoc_client_t* at, int count = 100);

using updater = decltype(&mongoc_collection_update_one);
/// Runs the update function `how`; prints the reply, and the documents that match afterwards.
void update(const collection& c, updater how, const char* filter, const char* change,
            const char* options = "{}");

using deleter = decltype(&mongoc_collection_delete_one);
/// Runs the delete function `how`, and prints the reply.
void remove(const collection& c, deleter how, const char* filter);

/// Runs a command, and prints the field `field` of the reply.
void run(mongoc_client_t* at, const char* command, const char* field);

}  // namespace script
