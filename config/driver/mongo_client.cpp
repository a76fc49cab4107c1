#include "config/driver/mongo_client.hpp"

#include <stdexcept>
#include <utility>

#include "config/driver/cursor_reader.hpp"
#include "config/driver/native_client.hpp"

namespace scattergate::config {
namespace {

using std::chrono::milliseconds;

/// How much longer a call may take than libmongoc's own limits, so that libmongoc's own error,
/// which says more, mostly comes first.
constexpr milliseconds allowance{1'000};

/// The time limit to start a driver process, which may look up the names of a connection
/// string.
constexpr milliseconds opening_limit{20'000};

milliseconds wait_limit_of(const client_options& options) {
  return options.wait_limit.value_or(milliseconds{0});
}

}  // namespace

[[noreturn]] void throw_exception_from_error(const mongo_error& error,
                                             const boost::source_location&) {
  throw std::runtime_error(error.text);
}

mongo_client::mongo_client(std::string uri, client_options options, milliseconds limit)
    : uri_(std::move(uri)),
      options_(std::move(options)),
      limit_(limit),
      process_(options_.application, options_.stop) {}

mongo_result<std::unique_ptr<mongo_client>> mongo_client::open(const std::string& uri,
                                                               client_options options) {
  const auto limits = read_limits(uri, wait_limit_of(options));
  if (!limits) return limits.error();
  return std::unique_ptr<mongo_client>{new mongo_client{
      uri, std::move(options), limits->find_server + limits->reply + allowance}};
}

mongo_result<driver_process::answer> mongo_client::call(const driver_request& request,
                                                        wire::document_view payload) {
  if (!is_open_) {
    const driver_request opening{
        .what = driver_call::open,
        .uri = uri_,
        .application = options_.application,
        .wait_limit_ms = static_cast<std::int32_t>(wait_limit_of(options_).count())};
    const auto opened = process_.call(opening, {}, opening_limit);
    if (!opened) return opened.error();
    if (opened->envelope.failed) return *opened->envelope.failed;
    is_open_ = true;
  }
  auto came = process_.call(request, payload, limit_);
  if (!came) return came.error();
  if (came->envelope.failed) return *came->envelope.failed;
  return came;
}

mongo_result<std::vector<std::byte>> mongo_client::reply_to(const driver_request& request,
                                                            wire::document_view payload) {
  auto came = call(request, payload);
  if (!came) return came.error();
  if (const auto checked = check_reply(came->payload); !checked) {
    return mongo_error{mongo_failure::unreachable, 0,
                       "the server's reply is invalid: " + text::to_string(checked.error())};
  }
  return std::move(came->payload);
}

mongo_result<mongo_server> mongo_client::connect() {
  const auto came = call({.what = driver_call::connect});
  if (!came) return came.error();
  return came->envelope.server;
}

mongo_result<std::vector<std::byte>> mongo_client::run(std::string_view database,
                                                       wire::document_view command) {
  return reply_to({.what = driver_call::run, .database = std::string{database}}, command);
}

mongo_result<std::vector<std::byte>> mongo_client::begin_transaction() {
  return reply_to({.what = driver_call::begin_transaction});
}

mongo_result<std::vector<std::byte>> mongo_client::run_in_transaction(
    std::string_view database, wire::document_view command) {
  return reply_to({.what = driver_call::run_in_transaction, .database = std::string{database}},
                  command);
}

mongo_result<void> mongo_client::commit_transaction() {
  const auto came = call({.what = driver_call::commit_transaction});
  if (came) return {};
  mongo_error failed = came.error();
  // The process may have failed after it has sent the commit.
  if (failed.kind == mongo_failure::unreachable) failed.is_outcome_unknown = true;
  return failed;
}

void mongo_client::abort_transaction() {
  static_cast<void>(call({.what = driver_call::abort_transaction}));
}

mongo_result<void> mongo_client::find(std::string_view database, std::string_view collection,
                                      wire::document_view filter, wire::document_view options,
                                      const document_sink& sink) {
  return cursors().find(database, collection, filter, options, sink);
}

mongo_result<void> mongo_client::list_collections(std::string_view database,
                                                  wire::document_view options,
                                                  const document_sink& sink) {
  return cursors().list_collections(database, options, sink);
}

cursor_reader mongo_client::cursors() {
  return cursor_reader{[this](std::string_view database, wire::document_view command) {
    return run(database, command);
  }};
}

}  // namespace scattergate::config
