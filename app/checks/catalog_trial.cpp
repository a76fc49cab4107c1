#include "app/checks/catalog_trial.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/checks/upstream_trial.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/text/extended_json.hpp"

namespace scattergate::app {
namespace {

using config::mongo_error;
using config::mongo_failure;
using config::mongo_result;

constexpr const char* application = "scattergate-check";

/// A collection of the database `config`. `is_needed`: no catalog is possible without it
/// (docs/catalog.md).
struct source {
  std::string_view name;
  bool is_needed;
};
constexpr std::array<source, 5> sources = {{
    {"collections", true},
    {"chunks", true},
    {"shards", false},
    {"databases", false},
    {"version", false},
}};

struct reached {
  std::unique_ptr<config::mongo_client> client;
  config::mongo_server server;
};

mongo_result<reached> reach(const std::string& uri) {
  auto opened = config::mongo_client::open(uri, {application, driver_time});
  if (!opened) return opened.error();
  auto server = (*opened)->connect();
  if (!server) return server.error();
  return reached{*std::move(opened), *std::move(server)};
}

/// Runs a first command, for which the driver authenticates.
mongo_result<void> log_in(config::mongo_client& client) {
  const auto answered =
      client.run("admin", config::bson_of_json(R"({"ping": 1})").value().view());
  if (!answered) return answered.error();
  return {};
}

/// Reads one document of a collection.
mongo_result<void> look_at(config::mongo_client& client, std::string_view collection) {
  const auto one = config::bson_of_json(R"({"limit": 1})").value();
  return client.find("config", collection, {}, one.view(),
                     [](wire::document_view) { return true; });
}

std::string_view advice_for(mongo_failure failure) {
  switch (failure) {
    case mongo_failure::bad_uri:
      return "fix the connection string";
    case mongo_failure::unauthorized:
      return "fix the user, the password or authSource in the connection string";
    case mongo_failure::unreachable:
    case mongo_failure::not_mongos:
    case mongo_failure::command_failed:
      break;
  }
  return "check that this connection string leads to a mongos that can be reached from here, "
         "and see its log";
}

/// `has_user`: whether the connection string may contain a user.
void try_rights(config::mongo_client& client, bool has_user, connect_log& to) {
  std::string readable;
  std::string unreadable;
  std::optional<mongo_error> why;
  bool is_needed = false;
  for (const source& one : sources) {
    const auto read = look_at(client, one.name);
    std::string& names = read ? readable : unreadable;
    names += (names.empty() ? "config." : ", config.") + std::string{one.name};
    if (read) continue;
    is_needed = is_needed || one.is_needed;
    if (!why) why = read.error();
    // The other collections would fail in the same way.
    if (why->kind == mongo_failure::unreachable) break;
  }
  constexpr std::string_view what = "catalog, rights";
  if (!why) return to.ok(what, "can read " + readable);
  const std::string found = "cannot read " + unreadable + ": " + why->text;
  if (why->kind != mongo_failure::unauthorized) {
    return to.fail(what, found, "see the log of mongos");
  }
  const std::string_view advice =
      has_user
          ? "grant the user the role clusterMonitor on admin, or the role in docs/catalog.md"
          : "put a connection string with a user into catalog.uri_file";
  is_needed ? to.fail(what, found, advice) : to.warn(what, found, advice);
}

}  // namespace

void try_catalog(const config::options& of, connect_log& to) {
  constexpr std::string_view what = "catalog, mongos";
  constexpr std::string_view login = "catalog, login";
  const auto uri = config::find_catalog_uri(of);
  if (!uri) {
    return to.fail(what, text::to_string(uri.error()), "put a connection string into it");
  }
  const mongo_result<reached> found = reach(uri->text);
  if (!found) {
    const mongo_error& why = found.error();
    const bool is_refused = why.kind == mongo_failure::unauthorized;
    return to.fail(is_refused ? login : what, why.text, advice_for(why.kind));
  }
  const config::mongo_server& server = found->server;
  if (!server.is_mongos) {
    return to.fail(what, server.address + " is not a mongos but " + server.type,
                   "point the connection string to a mongos");
  }
  to.ok(what, "connected to " + server.address);
  if (const auto logged_in = log_in(*found->client); !logged_in) {
    return to.fail(login, logged_in.error().text, advice_for(logged_in.error().kind));
  }
  const bool has_user = !of.catalog.uri.empty() || !of.catalog.uri_file.empty();
  try_rights(*found->client, has_user, to);
}

}  // namespace scattergate::app
