#include "fleet/database.hpp"

#include <array>
#include <utility>

#include "fleet/bson_parts.hpp"
#include "text/json_writer.hpp"

namespace scattergate::fleet {
namespace {

/// The indexes, sharding and privileges that a collection needs.
struct collection_needs {
  std::string_view name;
  std::string_view
      expiry_field;  ///< the date field of its TTL index; empty: documents don't expire
  std::string_view lifetime;  ///< seconds from that date until a document expires
  bool is_sharded;            ///< by {shape: 1, n: 1}
  bool is_removed_from;       ///< whether sidecars delete its documents
};
constexpr std::array needs{
    collection_needs{collections::shapes, "", "", true, false},
    collection_needs{collections::callers, "expiresAt", "0", true, false},
    collection_needs{collections::sidecars, "expiresAt", "0", false, false},
    collection_needs{collections::leases, "renewedAt", "2592000", false, true},
    collection_needs{collections::locks, "expiresAt", "0", false, true},
};

std::string quoted(std::string_view text) {
  std::string made;
  text::append_json_string(made, text);
  return made;
}

std::string indexes() {
  std::string text;
  for (const collection_needs& one : needs) {
    const std::string create = "fleet." + std::string{one.name} + ".createIndex(";
    if (one.is_sharded) text += create + "{shape: 1, n: 1})\n";
    if (!one.expiry_field.empty()) {
      text += create + "{" + std::string{one.expiry_field} +
              ": 1}, {expireAfterSeconds: " + std::string{one.lifetime} + "})\n";
    }
  }
  return text;
}

std::string sharding(std::string_view database) {
  std::string text =
      "if (db.hello().msg === \"isdbgrid\") {\n  sh.enableSharding(" + quoted(database) + ")\n";
  for (const collection_needs& one : needs) {
    if (!one.is_sharded) continue;
    text += "  sh.shardCollection(" +
            quoted(std::string{database} + "." + std::string{one.name}) +
            ", {shape: 1, n: 1})\n";
  }
  return text + "}\n";
}

std::string role(std::string_view database) {
  std::string text =
      "db.getSiblingDB(\"admin\").createRole({role: \"scattergateFleet\", roles: [], "
      "privileges: [\n";
  for (const collection_needs& one : needs) {
    text += "  {resource: {db: " + quoted(database) + ", collection: " + quoted(one.name) +
            "}, actions: [\"find\", \"insert\", \"update\"" +
            (one.is_removed_from ? ", \"remove\"" : "") + "]},\n";
  }
  return text + "]})\n";
}

using config::mongo_error;
using config::mongo_failure;
using config::mongo_result;
using wire::bson_writer;
using wire::document_view;

/// How long the server waits until a majority acknowledges a write, in milliseconds.
constexpr std::int32_t majority_timeout = 10'000;

bool offers_transactions(const config::mongo_server& server) {
  constexpr std::int64_t of_mongos = 8;        // MongoDB 4.2
  constexpr std::int64_t of_replica_sets = 7;  // MongoDB 4.0
  if (server.is_mongos) return server.max_wire_version >= of_mongos;
  return server.type.starts_with("RS") && server.max_wire_version >= of_replica_sets;
}

void append_statements(bson_writer& to, std::string_view name,
                       const std::vector<document>& all) {
  to.open_array(name);
  for (std::size_t i = 0; i < all.size(); ++i) {
    to.document(std::to_string(i), view_of(all[i]));
  }
  to.close();
}

void append_majority(bson_writer& to) {
  to.open_document("writeConcern");
  to.text("w", "majority");
  to.int32("wtimeout", majority_timeout);
  to.close();
}

/// Returns an error if no majority has acknowledged the write.
mongo_result<void> check_concern(document_view reply) {
  const auto found = wire::find_field(reply, "writeConcernError");
  const auto error = found ? found->as_document() : std::nullopt;
  if (!error) return {};
  return mongo_error{mongo_failure::command_failed,
                     static_cast<std::int32_t>(number_in(*error, "code")),
                     "no majority has acknowledged the write: " + text_in(*error, "errmsg")};
}

std::vector<failed_statement> failures_in(document_view reply) {
  std::vector<failed_statement> failures;
  const auto found = wire::find_field(reply, "writeErrors");
  const auto errors = found ? found->as_array() : std::nullopt;
  if (!errors) return failures;
  wire::document_reader reader{*errors};
  for (wire::element each; reader.next(each);) {
    const auto one = each.as_document();
    if (!one) continue;
    failures.push_back({number_in(*one, "index"),
                        static_cast<std::int32_t>(number_in(*one, "code")),
                        text_in(*one, "errmsg")});
  }
  return failures;
}

update_outcome outcome_in(document_view reply) {
  return {number_in(reply, "n"), failures_in(reply)};
}

/// Views a reply as a document. Returns an error if the command failed or the reply isn't a
/// document.
mongo_result<document_view> reply_of(const mongo_result<document>& came) {
  if (!came) return came.error();
  const auto view = document_view::from(*came);
  if (!view) return mongo_error{mongo_failure::unreachable, 0, "the reply can't be read"};
  return *view;
}

}  // namespace

std::string init_commands(std::string_view database) {
  return "// Run this in mongosh, as an administrator. You can run all of it again, except "
         "for\n"
         "// createRole and createUser, which fail if the role or the user exists.\n"
         "const fleet = db.getSiblingDB(" +
         quoted(database) + ")\n" + indexes() + sharding(database) + role(database) +
         "db.getSiblingDB(\"admin\").createUser({user: \"scattergate-fleet\", pwd: "
         "passwordPrompt(),\n  roles: [\"scattergateFleet\"]})\n"
         "// The sidecars' fleet.uri_file then contains:\n"
         "// mongodb://scattergate-fleet:PASSWORD@HOST/?authSource=admin\n";
}

config::mongo_error error_of(const failed_statement& one) {
  return {config::mongo_failure::command_failed, one.code, one.text};
}

database::database(std::unique_ptr<config::mongo_client> client, std::string name,
                   const config::mongo_server& server)
    : client_(std::move(client)),
      name_(std::move(name)),
      has_transactions_(offers_transactions(server)) {}

mongo_result<std::unique_ptr<database>> database::open(const std::string& uri, std::string name,
                                                       std::chrono::milliseconds wait_limit,
                                                       std::stop_token stop) {
  auto client =
      config::mongo_client::open(uri, {"scattergate-fleet", wait_limit, std::move(stop)});
  if (!client) return client.error();
  const auto server = (*client)->connect();
  if (!server) return server.error();
  return std::unique_ptr<database>{new database{*std::move(client), std::move(name), *server}};
}

mongo_result<database::clocks> database::read_clocks() {
  bson_writer to;
  to.int32("isMaster", 1);  // every version has it; hello is newer
  const document command = to.take();
  const auto before = std::chrono::system_clock::now();
  const auto came = client_->run("admin", view_of(command));
  const auto after = std::chrono::system_clock::now();
  const auto reply = reply_of(came);
  if (!reply) return reply.error();
  const auto here = before + (after - before) / 2;
  const auto there = date_in(*reply, "localTime");
  if (!there) return clocks{here};
  return clocks{*there, std::chrono::duration_cast<std::chrono::milliseconds>(here - *there)};
}

mongo_result<update_outcome> database::update(std::string_view collection,
                                              const statements& all, bool is_ordered) {
  bson_writer to;
  to.text("update", collection);
  append_statements(to, "updates", all);
  to.boolean("ordered", is_ordered);
  append_majority(to);
  const document command = to.take();
  const auto came = client_->run(name_, view_of(command));
  const auto reply = reply_of(came);
  if (!reply) return reply.error();
  if (const auto acknowledged = check_concern(*reply); !acknowledged) {
    return acknowledged.error();
  }
  return outcome_in(*reply);
}

mongo_result<update_outcome> database::update_in_transaction(std::string_view collection,
                                                             const statements& all) {
  bson_writer to;
  to.text("update", collection);
  append_statements(to, "updates", all);
  const document command = to.take();
  const auto came = client_->run_in_transaction(name_, view_of(command));
  const auto reply = reply_of(came);
  if (!reply) return reply.error();
  return outcome_in(*reply);
}

mongo_result<std::optional<document>> database::find_one(std::string_view collection,
                                                         document_view filter) {
  bson_writer to;
  to.text("find", collection);
  to.document("filter", filter);
  to.int32("limit", 1);
  to.boolean("singleBatch", true);
  if (has_transactions_) {
    to.open_document("readConcern");
    to.text("level", "majority");
    to.close();
  }
  const document command = to.take();
  const auto came = client_->run(name_, view_of(command));
  const auto reply = reply_of(came);
  if (!reply) return reply.error();
  const auto batch = wire::find_field(document_in(*reply, "cursor"), "firstBatch");
  const auto found = batch ? batch->as_array() : std::nullopt;
  if (!found) return mongo_error{mongo_failure::command_failed, 0, "a find without a batch"};
  wire::document_reader reader{*found};
  wire::element first;
  if (!reader.next(first)) return std::optional<document>{};
  const auto one = first.as_document();
  if (!one) return mongo_error{mongo_failure::command_failed, 0, "a find without documents"};
  return std::optional{document{one->bytes().begin(), one->bytes().end()}};
}

mongo_result<void> database::remove(std::string_view collection, document_view filter) {
  bson_writer to;
  to.text("delete", collection);
  to.open_array("deletes");
  to.open_document("0");
  to.document("q", filter);
  to.int32("limit", 1);
  to.close();
  to.close();
  append_majority(to);
  const document command = to.take();
  const auto came = client_->run(name_, view_of(command));
  const auto reply = reply_of(came);
  if (!reply) return reply.error();
  return {};
}

mongo_result<void> database::find_all(std::string_view collection,
                                      const config::mongo_reader::document_sink& sink) {
  return client_->find(name_, collection, document_view{}, document_view{}, sink);
}

mongo_result<void> database::end_session(document_view id) {
  bson_writer to;
  to.open_array("killSessions");
  to.document("0", id);
  to.close();
  const document command = to.take();
  const auto came = client_->run("admin", view_of(command));
  if (!came && came.error().kind == mongo_failure::unreachable) return came.error();
  return {};
}

document by_id(std::string_view id) {
  bson_writer to;
  to.text("_id", id);
  return to.take();
}

}  // namespace scattergate::fleet
