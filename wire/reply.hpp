#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/server_error.hpp"

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

/// The error of a command, as an error reply reports it.
struct command_error {
  server_errc code{};                          ///< the field code; codeName follows from it
  std::string_view message;                    ///< the field errmsg
  std::span<const std::string_view> labels{};  ///< the field errorLabels; empty: omitted
};

/// Builds the error reply `{ok: 0, errmsg, code, codeName, errorLabels}` as a complete OP_MSG.
/// Without labels in `error`, errorLabels is omitted. `request_id`: the reply's requestID.
/// `response_to`: the request's requestID. REQUIRES: fewer than ten labels.
[[nodiscard]] std::vector<std::byte> build_error_msg(std::int32_t request_id,
                                                     std::int32_t response_to,
                                                     const command_error& error);

/// Builds the error reply `{ok: 0, errmsg, code, codeName, errorLabels}` as a complete
/// OP_REPLY, for a command sent as an OP_QUERY. Without labels in `error`, errorLabels is
/// omitted. `request_id`: the reply's requestID. `response_to`: the request's requestID.
/// REQUIRES: fewer than ten labels.
[[nodiscard]] std::vector<std::byte> build_error_reply(std::int32_t request_id,
                                                       std::int32_t response_to,
                                                       const command_error& error);

}  // namespace scattergate::wire
