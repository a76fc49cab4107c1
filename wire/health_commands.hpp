#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// The commands of health checks, as complete OP_MSG messages with their headers. None needs
/// credentials.
namespace scattergate::wire {

/// Builds `{hello: 1, $db: "admin"}`. mongos answers it without asking any other server.
[[nodiscard]] std::vector<std::byte> build_hello(std::int32_t request_id);

/// Builds a `find` of one document in `config.shards`, from the nearest config server. mongos
/// asks its config servers for it, like for a client's command. If the cluster requires
/// authentication, mongos answers with the error Unauthorized, without asking any server.
[[nodiscard]] std::vector<std::byte> build_shards_read(std::int32_t request_id);

/// Builds a hello with the field `saslSupportedMechs` for a user that doesn't exist. Even if
/// the cluster requires authentication, mongos reads this user from its config servers (mongo:
/// sasl_mechanism_registry.cpp, advertiseMechanismNamesForUser); it caches only users that
/// exist. mongos logs line 20251 for it.
[[nodiscard]] std::vector<std::byte> build_user_lookup(std::int32_t request_id);

}  // namespace scattergate::wire
