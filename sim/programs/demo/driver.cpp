#include "sim/programs/demo/driver.hpp"

#include <span>
#include <string_view>

#include <mongoc/mongoc.h>

#include "sim/values/bson_codec.hpp"

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

document with_options(document command, const document& options) {
  for (const field& each : options) command.append(each.name, each.content);
  return command;
}

/// Throws for the first error of a write's statements.
void check_write(const char* collection, const document& reply) {
  const auto* errors = reply.find_as<array>("writeErrors");
  for (const value& each : errors == nullptr ? array{} : *errors) {
    const auto& error = *each.as<document>();
    if (error.find("code")->as_int64() == duplicate_key) continue;
    throw driver_error(std::string{collection} + ": " + to_json(error));
  }
}

}  // namespace

void tally::merge(const tally& other) {
  for (const auto& [target, count] : other.counts_) counts_[target] += count;
}

std::string tally::to_json() const {
  array commands;
  std::int64_t total = 0;
  for (const auto& [target, count] : counts_) {
    total += static_cast<std::int64_t>(count);
    commands.emplace_back(document{{"db", std::string_view{target.database}},
                                   {"collection", std::string_view{target.collection}},
                                   {"command", std::string_view{target.command}},
                                   {"count", static_cast<std::int64_t>(count)}});
  }
  return sim::to_json({{"total", total}, {"commands", std::move(commands)}});
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
  handle<mongoc_client_t, mongoc_client_destroy> connection;

  document run(const char* on, const document& command) {
    bson_t reply;
    bson_error_t error;
    const bool succeeded = mongoc_client_command_simple(
        connection.get(), on, bson_bytes{command}.get(), nullptr, &reply, &error);
    document out = to_document(reply);
    bson_destroy(&reply);
    if (succeeded || error.code == duplicate_key) return out;
    throw driver_error(command.front().name + ": " + error.message);
  }

  void write(const char* collection, const document& command) {
    check_write(collection, run(database.c_str(), command));
  }

  std::vector<document> read_all(const document& command) {
    const document reply = run(database.c_str(), command);
    // The cursor frees this copy.
    bson_t* given = bson_copy(bson_bytes{reply}.get());
    const handle<mongoc_cursor_t, mongoc_cursor_destroy> cursor{
        mongoc_cursor_new_from_command_reply_with_opts(connection.get(), given, nullptr)};
    std::vector<document> out;
    const bson_t* each = nullptr;
    while (mongoc_cursor_next(cursor.get(), &each)) out.push_back(to_document(*each));
    bson_error_t error;
    if (mongoc_cursor_error(cursor.get(), &error)) throw driver_error(error.message);
    return out;
  }
};

client::client(const std::string& uri, const std::string& app_name, std::string database)
    : impl_(std::make_unique<impl>()) {
  impl_->database = std::move(database);
  bson_error_t error;
  const handle<mongoc_uri_t, mongoc_uri_destroy> parsed{
      mongoc_uri_new_with_error(uri.c_str(), &error)};
  if (!parsed) throw driver_error(error.message);
  impl_->connection.reset(mongoc_client_new_from_uri(parsed.get()));
  if (!impl_->connection) throw driver_error("the driver can't use this URI");
  mongoc_client_set_error_api(impl_->connection.get(), MONGOC_ERROR_API_VERSION_2);
  mongoc_client_set_appname(impl_->connection.get(), app_name.c_str());
  const handle<mongoc_apm_callbacks_t, mongoc_apm_callbacks_destroy> callbacks{
      mongoc_apm_callbacks_new()};
  mongoc_apm_set_command_started_cb(callbacks.get(), count_command);
  mongoc_client_set_apm_callbacks(impl_->connection.get(), callbacks.get(), &impl_->sent);
}

client::~client() = default;
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;

std::vector<document> client::find(const char* collection, const document& filter,
                                   const document& options) {
  return impl_->read_all(with_options({{"find", collection}, {"filter", filter}}, options));
}

std::vector<document> client::aggregate(const char* collection, const array& pipeline,
                                        const document& options) {
  return impl_->read_all(with_options(
      {{"aggregate", collection}, {"pipeline", pipeline}, {"cursor", document{}}}, options));
}

void client::insert(const char* collection, array documents) {
  impl_->write(
      collection,
      {{"insert", collection}, {"ordered", false}, {"documents", std::move(documents)}});
}

void client::update(const char* collection, array statements, const document& options) {
  impl_->write(collection, with_options({{"update", collection},
                                         {"ordered", false},
                                         {"updates", std::move(statements)}},
                                        options));
}

void client::delete_many(const char* collection, const document& filter) {
  const document statement{{"q", filter}, {"limit", std::int32_t{0}}};
  impl_->write(collection, {{"delete", collection}, {"deletes", array{statement}}});
}

void client::find_and_modify(const char* collection, const document& filter,
                             const document& change, bool upsert) {
  impl_->write(collection, {{"findAndModify", collection},
                            {"query", filter},
                            {"update", change},
                            {"new", true},
                            {"upsert", upsert}});
}

void client::run_on_admin(const document& command) {
  impl_->run("admin", command);
}

const tally& client::sent() const noexcept {
  return impl_->sent;
}

}  // namespace scattergate::sim::demo
