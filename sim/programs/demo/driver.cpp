#include "sim/programs/demo/driver.hpp"

#include <span>

#include <mongoc/mongoc.h>

#include "sim/values/bson_codec.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim::demo {

namespace {

constexpr std::uint32_t duplicate_key = 11000;

/// Calls the C function that frees a C handle.
template <auto Destroy>
struct destroyer {
  template <typename T>
  void operator()(T* handle) const noexcept {
    Destroy(handle);
  }
};
template <typename T, auto Destroy>
using handle = std::unique_ptr<T, destroyer<Destroy>>;

using uri_handle = handle<mongoc_uri_t, mongoc_uri_destroy>;
using client_handle = handle<mongoc_client_t, mongoc_client_destroy>;
using collection_handle = handle<mongoc_collection_t, mongoc_collection_destroy>;
using cursor_handle = handle<mongoc_cursor_t, mongoc_cursor_destroy>;
using bulk_handle = handle<mongoc_bulk_operation_t, mongoc_bulk_operation_destroy>;
using callbacks_handle = handle<mongoc_apm_callbacks_t, mongoc_apm_callbacks_destroy>;
using modify_options_handle =
    handle<mongoc_find_and_modify_opts_t, mongoc_find_and_modify_opts_destroy>;

/// A document as a bson_t. Valid as long as its bytes.
class bson_bytes {
 public:
  explicit bson_bytes(const document& content) : bytes_(encode(content)) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes_.data());
    if (!bson_init_static(&view_, data, bytes_.size())) throw driver_error("not BSON");
  }
  bson_bytes(const bson_bytes&) = delete;
  bson_bytes& operator=(const bson_bytes&) = delete;
  [[nodiscard]] const bson_t* get() const noexcept { return &view_; }

 private:
  std::string bytes_;
  bson_t view_;
};

document to_document(const bson_t& from) {
  const std::span bytes{bson_get_data(&from), from.len};
  const auto view = wire::document_view::from(std::as_bytes(bytes));
  if (!view) throw driver_error("the server's reply is not a BSON document");
  return decode(*view);
}

void check(bool succeeded, const char* collection, const bson_error_t& error) {
  if (succeeded || error.code == duplicate_key) return;
  throw driver_error(std::string{collection} + ": " + error.message);
}

/// The collection that a command names: its first field, except in getMore. Commands on admin
/// have none.
std::string collection_of(const bson_t* command, std::string_view database,
                          std::string_view name) {
  if (database == "admin") return {};
  bson_iter_t field;
  const bool is_found = name == "getMore"
                            ? bson_iter_init_find(&field, command, "collection")
                            : bson_iter_init(&field, command) && bson_iter_next(&field);
  if (!is_found || !BSON_ITER_HOLDS_UTF8(&field)) return {};
  return bson_iter_utf8(&field, nullptr);
}

void count_command(const mongoc_apm_command_started_t* event) {
  auto* counts = static_cast<tally*>(mongoc_apm_command_started_get_context(event));
  const char* database = mongoc_apm_command_started_get_database_name(event);
  const char* name = mongoc_apm_command_started_get_command_name(event);
  const bson_t* command = mongoc_apm_command_started_get_command(event);
  counts->add({database, collection_of(command, database, name), name});
}

std::vector<document> read_all(cursor_handle cursor, const char* collection) {
  std::vector<document> out;
  const bson_t* each = nullptr;
  while (mongoc_cursor_next(cursor.get(), &each)) out.push_back(to_document(*each));
  bson_error_t error;
  if (mongoc_cursor_error(cursor.get(), &error)) check(false, collection, error);
  return out;
}

}  // namespace

void tally::merge(const tally& other) {
  for (const auto& [target, count] : other.counts_) counts_[target] += count;
}

std::uint64_t tally::total() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [target, count] : counts_) sum += count;
  return sum;
}

std::string tally::to_json() const {
  array commands;
  for (const auto& [target, count] : counts_) {
    commands.emplace_back(document{{"db", std::string_view{target.database}},
                                   {"collection", std::string_view{target.collection}},
                                   {"command", std::string_view{target.command}},
                                   {"count", static_cast<std::int64_t>(count)}});
  }
  return sim::to_json(
      {{"total", static_cast<std::int64_t>(total())}, {"commands", std::move(commands)}});
}

driver::driver() {
  mongoc_init();
}
driver::~driver() {
  mongoc_cleanup();
}

struct client::impl {
  std::string database;
  tally sent;  // its address is registered with the driver, and must outlive the connection
  client_handle connection;

  [[nodiscard]] collection_handle open(const char* name) const {
    return collection_handle{
        mongoc_client_get_collection(connection.get(), database.c_str(), name)};
  }
};

client::client(const std::string& uri, const std::string& app_name, std::string database)
    : impl_(std::make_unique<impl>()) {
  impl_->database = std::move(database);
  bson_error_t error;
  const uri_handle parsed{mongoc_uri_new_with_error(uri.c_str(), &error)};
  if (!parsed) throw driver_error(error.message);
  impl_->connection.reset(mongoc_client_new_from_uri(parsed.get()));
  if (!impl_->connection) throw driver_error("the driver can't use this URI");
  mongoc_client_set_error_api(impl_->connection.get(), MONGOC_ERROR_API_VERSION_2);
  mongoc_client_set_appname(impl_->connection.get(), app_name.c_str());
  const callbacks_handle callbacks{mongoc_apm_callbacks_new()};
  mongoc_apm_set_command_started_cb(callbacks.get(), count_command);
  mongoc_client_set_apm_callbacks(impl_->connection.get(), callbacks.get(), &impl_->sent);
}

client::~client() = default;
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;

std::vector<document> client::find(const char* collection, const document& filter,
                                   const document& options) {
  const auto from = impl_->open(collection);
  return read_all(
      cursor_handle{mongoc_collection_find_with_opts(from.get(), bson_bytes{filter}.get(),
                                                     bson_bytes{options}.get(), nullptr)},
      collection);
}

std::vector<document> client::aggregate(const char* collection, const array& pipeline,
                                        const document& options) {
  const auto from = impl_->open(collection);
  const bson_bytes stages{{{"pipeline", pipeline}}};
  return read_all(
      cursor_handle{mongoc_collection_aggregate(from.get(), MONGOC_QUERY_NONE, stages.get(),
                                                bson_bytes{options}.get(), nullptr)},
      collection);
}

std::int64_t client::count(const char* collection, const document& filter) {
  const auto from = impl_->open(collection);
  bson_error_t error;
  const std::int64_t found = mongoc_collection_count_documents(
      from.get(), bson_bytes{filter}.get(), nullptr, nullptr, nullptr, &error);
  check(found >= 0, collection, error);
  return found;
}

void client::insert(const char* collection, const std::vector<document>& documents) {
  const auto to = impl_->open(collection);
  const bulk_handle bulk{mongoc_collection_create_bulk_operation_with_opts(
      to.get(), bson_bytes{{{"ordered", false}}}.get())};
  bson_error_t error;
  for (const document& each : documents) {
    check(mongoc_bulk_operation_insert_with_opts(bulk.get(), bson_bytes{each}.get(), nullptr,
                                                 &error),
          collection, error);
  }
  check(mongoc_bulk_operation_execute(bulk.get(), nullptr, &error) != 0, collection, error);
}

void client::update_one(const char* collection, const document& filter, const document& change,
                        const document& options) {
  const auto to = impl_->open(collection);
  bson_error_t error;
  check(
      mongoc_collection_update_one(to.get(), bson_bytes{filter}.get(), bson_bytes{change}.get(),
                                   bson_bytes{options}.get(), nullptr, &error),
      collection, error);
}

void client::bulk_upsert(const char* collection,
                         const std::vector<update_statement>& statements) {
  const auto to = impl_->open(collection);
  const bulk_handle bulk{mongoc_collection_create_bulk_operation_with_opts(
      to.get(), bson_bytes{{{"ordered", false}}}.get())};
  const bson_bytes upsert{{{"upsert", true}}};
  bson_error_t error;
  for (const update_statement& each : statements) {
    check(mongoc_bulk_operation_update_one_with_opts(bulk.get(), bson_bytes{each.filter}.get(),
                                                     bson_bytes{each.change}.get(),
                                                     upsert.get(), &error),
          collection, error);
  }
  check(mongoc_bulk_operation_execute(bulk.get(), nullptr, &error) != 0, collection, error);
}

void client::delete_many(const char* collection, const document& filter) {
  const auto from = impl_->open(collection);
  bson_error_t error;
  check(mongoc_collection_delete_many(from.get(), bson_bytes{filter}.get(), nullptr, nullptr,
                                      &error),
        collection, error);
}

void client::find_and_modify(const char* collection, const document& filter,
                             const document& change, bool upsert) {
  const auto in = impl_->open(collection);
  const modify_options_handle options{mongoc_find_and_modify_opts_new()};
  const auto flags = static_cast<int>(MONGOC_FIND_AND_MODIFY_RETURN_NEW) |
                     (upsert ? static_cast<int>(MONGOC_FIND_AND_MODIFY_UPSERT) : 0);
  mongoc_find_and_modify_opts_set_flags(options.get(),
                                        static_cast<mongoc_find_and_modify_flags_t>(flags));
  mongoc_find_and_modify_opts_set_update(options.get(), bson_bytes{change}.get());
  bson_error_t error;
  check(mongoc_collection_find_and_modify_with_opts(in.get(), bson_bytes{filter}.get(),
                                                    options.get(), nullptr, &error),
        collection, error);
}

void client::run_on_admin(const document& command) {
  bson_error_t error;
  check(mongoc_client_command_simple(impl_->connection.get(), "admin",
                                     bson_bytes{command}.get(), nullptr, nullptr, &error),
        "admin", error);
}

const tally& client::sent() const noexcept {
  return impl_->sent;
}

}  // namespace scattergate::sim::demo
