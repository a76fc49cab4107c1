#pragma once

#include <string>

#include "wire/bson.hpp"

namespace scattergate::proxy {

/// The maximum length of a user name, in bytes; a longer one counts as no user.
inline constexpr std::size_t max_user_bytes = 256;

/// The user name in a saslStart (or a hello's `speculativeAuthenticate`), parsed as mongos
/// does, for SCRAM-SHA-1, SCRAM-SHA-256 and PLAIN. Empty if there is none, or for mechanisms
/// that reveal it later or elsewhere (GSSAPI, MONGODB-AWS, MONGODB-OIDC). Keeps nothing else of
/// the payload, in particular not PLAIN's password. Allocates.
[[nodiscard]] std::string user_of_sasl_start(wire::document_view start);

}  // namespace scattergate::proxy
