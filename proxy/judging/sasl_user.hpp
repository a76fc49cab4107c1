#pragma once

#include <string>

#include "wire/bson.hpp"

namespace scattergate::proxy {

/// The maximum length of a user name, in bytes. A longer name counts as empty.
inline constexpr std::size_t max_user_bytes = 256;

/// The user name in a saslStart, or in a hello's `speculativeAuthenticate`. Parsed as mongos
/// parses it, for SCRAM-SHA-1, SCRAM-SHA-256 and PLAIN. Empty if there is no user name, or for
/// other mechanisms: GSSAPI, MONGODB-AWS and MONGODB-OIDC don't reveal the user in this
/// command. Stores no other part of the payload, so not PLAIN's password. Allocates.
[[nodiscard]] std::string user_of_sasl_start(wire::document_view start);

}  // namespace scattergate::proxy
