#include "config/driver/native_client.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

#include <fcntl.h>
#include <mongoc/mongoc.h>
#include <sys/mman.h>

/// Replaces libc's function. Before main(), libmongoc creates counters for other processes in a
/// file in /dev/shm, named after the process id. The file outlives a killed process; the next
/// process with that id then complains on standard error. No process reads these counters here,
/// so libmongoc gets anonymous memory instead. (MONGOC_DISABLE_SHM would have to be set by the
/// parent process.)
extern "C" int shm_open(const char* name, int, mode_t) {
  if (std::string_view{name}.starts_with("/mongoc-")) {
    return ::memfd_create("mongoc-counters", MFD_CLOEXEC);
  }
  errno = ENOSYS;  // nothing else in this process uses shared memory
  return -1;
}

/// Replaces libc's function. Does nothing: a file of that name belongs to another process that
/// shares /dev/shm.
extern "C" int shm_unlink(const char*) {
  return 0;
}

namespace scattergate::config {
namespace {

template <auto Destroy>
struct destroyer {
  template <typename Handle>
  void operator()(Handle* handle) const {
    Destroy(handle);
  }
};
template <typename Handle, auto Destroy>
using owned = std::unique_ptr<Handle, destroyer<Destroy>>;

using owned_uri = owned<mongoc_uri_t, mongoc_uri_destroy>;
using owned_client = owned<mongoc_client_t, mongoc_client_destroy>;
using owned_server = owned<mongoc_server_description_t, mongoc_server_description_destroy>;
using owned_session = owned<mongoc_client_session_t, mongoc_client_session_destroy>;
using owned_concern = owned<mongoc_write_concern_t, mongoc_write_concern_destroy>;
using owned_transaction_options =
    owned<mongoc_transaction_opt_t, mongoc_transaction_opts_destroy>;

constexpr std::int32_t selection_timeout_ms = 5'000;
constexpr std::int32_t connect_timeout_ms = 5'000;
constexpr std::int32_t socket_timeout_ms = 15'000;

/// What a limit of 0 or less means; libmongoc's default for replies.
constexpr std::int32_t unlimited_ms = 300'000;

/// libmongoc 1.23 deadlocks if a server that it looks for again doesn't answer (CDRIVER-4666).
/// So a client looks once, when it is new, and mongo_client makes a new one after an error.
constexpr std::int32_t never_again_ms = std::numeric_limits<std::int32_t>::max();

/// The longest application name that libmongoc accepts.
constexpr std::size_t max_application_bytes = 128;

void (*log_receiver)(bool is_error, std::string_view message) = nullptr;
void (*no_memory_handler)() = nullptr;

// Set while a connection string is parsed: libmongoc's messages may quote it then.
thread_local bool is_reading_uri = false;

void on_log(mongoc_log_level_t level, const char*, const char* message, void*) {
  if (level > MONGOC_LOG_LEVEL_WARNING || is_reading_uri || log_receiver == nullptr) return;
  log_receiver(level <= MONGOC_LOG_LEVEL_CRITICAL, message);
}

void* unless_null(void* block) {
  if (block == nullptr) no_memory_handler();
  return block;
}

mongo_failure kind_of(const bson_error_t& error) {
  constexpr std::array<std::uint32_t, 4> refusals = {13, 18, 391, 8000};
  if (error.domain == MONGOC_ERROR_SERVER) {
    const bool is_refusal =
        std::find(refusals.begin(), refusals.end(), error.code) != refusals.end();
    return is_refusal ? mongo_failure::unauthorized : mongo_failure::command_failed;
  }
  const bool is_login =
      error.domain == MONGOC_ERROR_SCRAM || error.domain == MONGOC_ERROR_SASL ||
      (error.domain == MONGOC_ERROR_CLIENT && error.code == MONGOC_ERROR_CLIENT_AUTHENTICATE);
  return is_login ? mongo_failure::unauthorized : mongo_failure::unreachable;
}

mongo_error error_of(const bson_error_t& error) {
  const bool is_servers = error.domain == MONGOC_ERROR_SERVER;
  return {kind_of(error), is_servers ? static_cast<std::int32_t>(error.code) : 0,
          error.message};
}

/// A libbson document that refers to the bytes of `document`, without copying.
bson_t borrow(wire::document_view document) {
  bson_t borrowed;
  // Can't fail: the length was checked when the view was made.
  static_cast<void>(bson_init_static(
      &borrowed, reinterpret_cast<const std::uint8_t*>(document.bytes().data()),
      document.size_bytes()));
  return borrowed;
}

std::span<const std::byte> bytes_of(const bson_t& document) {
  return std::as_bytes(std::span{bson_get_data(&document), document.len});
}

/// A reply's bytes; frees the reply.
std::vector<std::byte> take_bytes(bson_t& reply) {
  const auto bytes = bytes_of(reply);
  std::vector<std::byte> copy{bytes.begin(), bytes.end()};
  bson_destroy(&reply);
  return copy;
}

void set_default(mongoc_uri_t* uri, const char* option, std::int32_t value) {
  if (!mongoc_uri_has_option(uri, option)) {
    mongoc_uri_set_option_as_int32(uri, option, value);
  }
}

void bound_waits(mongoc_uri_t* uri, std::int32_t most) {
  for (const char* const option : {MONGOC_URI_SERVERSELECTIONTIMEOUTMS,
                                   MONGOC_URI_CONNECTTIMEOUTMS, MONGOC_URI_SOCKETTIMEOUTMS}) {
    const std::int32_t given = mongoc_uri_get_option_as_int32(uri, option, most);
    if (given <= 0 || given >= most) mongoc_uri_set_option_as_int32(uri, option, most);
  }
}

/// Parses a connection string, and adds our options; null if it is malformed.
owned_uri read_uri(const std::string& text, std::chrono::milliseconds wait_limit) {
  mongoc_log_set_handler(on_log, nullptr);
  is_reading_uri = true;
  bson_error_t error;
  owned_uri uri{mongoc_uri_new_with_error(text.c_str(), &error)};
  if (uri) {
    set_default(uri.get(), MONGOC_URI_SERVERSELECTIONTIMEOUTMS, selection_timeout_ms);
    set_default(uri.get(), MONGOC_URI_CONNECTTIMEOUTMS, connect_timeout_ms);
    set_default(uri.get(), MONGOC_URI_SOCKETTIMEOUTMS, socket_timeout_ms);
    mongoc_uri_set_option_as_int32(uri.get(), MONGOC_URI_HEARTBEATFREQUENCYMS, never_again_ms);
    // One compressor less for a hostile server to attack; the replies are small.
    mongoc_uri_set_compressors(uri.get(), nullptr);
    // Makes libmongoc discover what a single address is, rather than treat it as a stand-alone
    // server.
    const bool is_special = mongoc_uri_has_option(uri.get(), MONGOC_URI_DIRECTCONNECTION) ||
                            mongoc_uri_has_option(uri.get(), MONGOC_URI_LOADBALANCED);
    if (!is_special) {
      mongoc_uri_set_option_as_bool(uri.get(), MONGOC_URI_DIRECTCONNECTION, false);
    }
    if (wait_limit.count() > 0) {
      bound_waits(uri.get(), static_cast<std::int32_t>(wait_limit.count()));
    }
  }
  is_reading_uri = false;
  return uri;
}

mongo_error unreadable() {
  return {mongo_failure::bad_uri, 0,
          "the connection string can't be read: expected "
          "mongodb://user:password@host:port/?option=value, "
          "with special characters in user and password percent-encoded"};
}

bool is_router(const mongoc_server_description_t* server) {
  const std::string_view type = mongoc_server_description_type(server);
  return type == "Mongos" || type == "LoadBalancer";
}

}  // namespace

void start_libmongoc(void (*log)(bool is_error, std::string_view message),
                     void (*on_no_memory)()) {
  log_receiver = log;
  no_memory_handler = on_no_memory;
  bson_mem_vtable_t memory{};
  memory.malloc = [](std::size_t size) { return unless_null(std::malloc(size)); };
  memory.calloc = [](std::size_t count, std::size_t size) {
    return unless_null(std::calloc(count, size));
  };
  memory.realloc = [](void* block, std::size_t size) {
    return size == 0 ? std::realloc(block, size) : unless_null(std::realloc(block, size));
  };
  memory.free = [](void* block) { std::free(block); };
  bson_mem_set_vtable(&memory);
  mongoc_log_set_handler(on_log, nullptr);
  mongoc_init();
}

mongo_result<uri_limits> read_limits(const std::string& uri,
                                     std::chrono::milliseconds wait_limit) {
  const owned_uri read = read_uri(uri, wait_limit);
  if (!read) return unreadable();
  const auto limit = [&read](const char* option) {
    const std::int32_t given = mongoc_uri_get_option_as_int32(read.get(), option, 0);
    return std::chrono::milliseconds{given > 0 ? given : unlimited_ms};
  };
  return uri_limits{
      std::max(limit(MONGOC_URI_SERVERSELECTIONTIMEOUTMS), limit(MONGOC_URI_CONNECTTIMEOUTMS)),
      limit(MONGOC_URI_SOCKETTIMEOUTMS)};
}

struct native_client::impl {
  owned_client client;
  owned_session session{};  // for transactions; null until the first
};

native_client::native_client(std::unique_ptr<impl> made) : impl_(std::move(made)) {}
native_client::native_client(native_client&&) noexcept = default;
native_client& native_client::operator=(native_client&&) noexcept = default;
native_client::~native_client() = default;

mongo_result<native_client> native_client::open(const std::string& uri,
                                                const std::string& application,
                                                std::chrono::milliseconds wait_limit) {
  const owned_uri read = read_uri(uri, wait_limit);
  if (!read) return unreadable();
  if (mongoc_uri_get_appname(read.get()) == nullptr) {
    mongoc_uri_set_appname(read.get(), application.substr(0, max_application_bytes).c_str());
  }
  bson_error_t error;
  owned_client client{mongoc_client_new_from_uri_with_error(read.get(), &error)};
  if (!client) {
    return mongo_error{mongo_failure::bad_uri, 0,
                       std::string{"the connection string can't be used: "} + error.message};
  }
  mongoc_client_set_error_api(client.get(), MONGOC_ERROR_API_VERSION_2);
  return native_client{std::make_unique<impl>(impl{std::move(client)})};
}

mongo_result<mongo_server> native_client::connect() {
  bson_error_t error;
  const owned_server found{
      mongoc_client_select_server(impl_->client.get(), false, nullptr, &error)};
  if (!found) return error_of(error);
  mongo_server server;
  server.is_mongos = is_router(found.get());
  server.type = mongoc_server_description_type(found.get());
  server.address = mongoc_server_description_host(found.get())->host_and_port;
  const auto hello = wire::document_view::from(
      bytes_of(*mongoc_server_description_hello_response(found.get())));
  const auto version = hello ? wire::find_field(*hello, "maxWireVersion") : std::nullopt;
  if (version) server.max_wire_version = version->as_int64().value_or(0);
  return server;
}

mongo_result<std::vector<std::byte>> native_client::run(std::string_view database,
                                                        wire::document_view command) {
  const bson_t sent = borrow(command);
  bson_t reply;
  bson_error_t error;
  const bool is_good = mongoc_client_command_simple(
      impl_->client.get(), std::string{database}.c_str(), &sent, nullptr, &reply, &error);
  auto copy = take_bytes(reply);
  if (!is_good) return error_of(error);
  return copy;
}

mongo_result<std::vector<std::byte>> native_client::begin_transaction() {
  bson_error_t error;
  if (!impl_->session) {
    impl_->session.reset(mongoc_client_start_session(impl_->client.get(), nullptr, &error));
    if (!impl_->session) return error_of(error);
  }
  const owned_concern majority{mongoc_write_concern_new()};
  mongoc_write_concern_set_w(majority.get(), MONGOC_WRITE_CONCERN_W_MAJORITY);
  const owned_transaction_options options{mongoc_transaction_opts_new()};
  mongoc_transaction_opts_set_write_concern(options.get(), majority.get());
  if (!mongoc_client_session_start_transaction(impl_->session.get(), options.get(), &error)) {
    return error_of(error);
  }
  const auto id = bytes_of(*mongoc_client_session_get_lsid(impl_->session.get()));
  return std::vector<std::byte>{id.begin(), id.end()};
}

mongo_result<std::vector<std::byte>> native_client::run_in_transaction(
    std::string_view database, wire::document_view command) {
  const bson_t sent = borrow(command);
  bson_error_t error;
  bson_t with = BSON_INITIALIZER;
  if (!mongoc_client_session_append(impl_->session.get(), &with, &error)) {
    bson_destroy(&with);
    return error_of(error);
  }
  bson_t reply;
  const bool is_good = mongoc_client_write_command_with_opts(
      impl_->client.get(), std::string{database}.c_str(), &sent, &with, &reply, &error);
  bson_destroy(&with);
  const bool is_transient = mongoc_error_has_label(&reply, "TransientTransactionError");
  auto copy = take_bytes(reply);
  if (is_good) return copy;
  mongo_error failed = error_of(error);
  failed.is_transient = is_transient;
  return failed;
}

mongo_result<void> native_client::commit_transaction() {
  bson_error_t error;
  bson_t reply;
  const bool is_good =
      mongoc_client_session_commit_transaction(impl_->session.get(), &reply, &error);
  const bool is_transient = mongoc_error_has_label(&reply, "TransientTransactionError");
  const bool is_unknown = mongoc_error_has_label(&reply, "UnknownTransactionCommitResult");
  bson_destroy(&reply);
  if (is_good) return {};
  mongo_error failed = error_of(error);
  failed.is_transient = is_transient;
  failed.is_outcome_unknown = is_unknown;
  return failed;
}

void native_client::abort_transaction() noexcept {
  if (!impl_->session || !mongoc_client_session_in_transaction(impl_->session.get())) return;
  bson_error_t ignored;
  static_cast<void>(mongoc_client_session_abort_transaction(impl_->session.get(), &ignored));
}

}  // namespace scattergate::config
