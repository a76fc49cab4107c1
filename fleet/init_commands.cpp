#include "fleet/init_commands.hpp"

#include <array>

#include "fleet/names.hpp"
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

}  // namespace scattergate::fleet
