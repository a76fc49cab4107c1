// The script of operations by libmongoc: script URI [steps to leave out...]
//
// Prints a line per step and result, as canonical Extended JSON, or its error, and at last how
// often each command was sent, by the driver's own account.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/drivers/mongoc/shared.hpp"
#include "tests/drivers/mongoc/steps.hpp"

namespace script {
namespace {

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
}  // namespace script

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  mongoc_init();
  const int status = script::run_all(argv[1], {argv + 2, argv + argc});
  mongoc_cleanup();
  return status;
}
