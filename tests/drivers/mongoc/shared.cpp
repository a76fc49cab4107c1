#include "tests/drivers/mongoc/shared.hpp"

#include <algorithm>
#include <cstdio>

namespace script {

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

void print_outcome(bool ok, bson_t* reply) {
  if (ok && reply != nullptr) print(reply);
  if (!ok) print_text("error " + std::to_string(problem.code) + " " + problem.message);
  if (reply != nullptr) bson_destroy(reply);
}

void print_all(const cursor& from, int limit) {
  const bson_t* found = nullptr;
  while (limit-- != 0 && mongoc_cursor_next(from.get(), &found)) print(found);
  print_outcome(!mongoc_cursor_error(from.get(), &problem), nullptr);
}

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

collection here(mongoc_client_t* at, const char* name) {
  return collection{mongoc_client_get_collection(at, "drivers", name)};
}

cursor find(const collection& in, const char* filter, const char* options) {
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

void insert_one(const collection& into, const char* json, const char* options) {
  bson_t reply;
  const bool ok = mongoc_collection_insert_one(into.get(), document{json}, document{options},
                                               &reply, &problem);
  print_outcome(ok, &reply);
}

collection numbers(mongoc_client_t* at, int count) {
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

void print_count(std::int64_t count) {
  print_outcome(count >= 0, nullptr);
  print_text(std::to_string(count));
}

void update(const collection& c, updater how, const char* filter, const char* change,
            const char* options) {
  bson_t reply;
  const bool ok =
      how(c.get(), document{filter}, document{change}, document{options}, &reply, &problem);
  print_outcome(ok, &reply);
  print_all(find(c, filter));
}

void remove(const collection& c, deleter how, const char* filter) {
  bson_t reply;
  const bool ok = how(c.get(), document{filter}, nullptr, &reply, &problem);
  print_outcome(ok, &reply);
}

void run(mongoc_client_t* at, const char* command, const char* field) {
  bson_t reply;
  const bool ok =
      mongoc_client_command_simple(at, "drivers", document{command}, nullptr, &reply, &problem);
  bson_iter_t found;
  if (ok && bson_iter_init_find(&found, &reply, field)) {
    const document only{bson_new()};
    bson_append_iter(only, field, -1, &found);
    print(only);
  }
  print_outcome(ok, nullptr);
  bson_destroy(&reply);
}

}  // namespace script
