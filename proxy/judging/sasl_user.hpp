#pragma once

#include <string>

#include "wire/bson.hpp"

namespace scattergate::proxy {

/// The longest user name that is told apart, in bytes; a longer one is nobody's.
inline constexpr std::size_t max_user_bytes = 256;

/// The user that a saslStart (or the `speculativeAuthenticate` of a hello) names, as mongos
/// reads it: by SCRAM-SHA-1, SCRAM-SHA-256 and PLAIN. Empty where it names none, and for
/// mechanisms that tell it only later or to others (GSSAPI, MONGODB-AWS, MONGODB-OIDC). Nothing
/// else of the payload is kept, PLAIN's password least of all. Allocates.
[[nodiscard]] std::string user_of_sasl_start(wire::document_view start);

}  // namespace scattergate::proxy
